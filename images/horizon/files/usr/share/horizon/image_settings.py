"""What follows from how the image is made; read after the site's settings."""

# The static files were collected and compressed when the image was built.
STATIC_ROOT = "/usr/share/horizon/static"
COMPRESS_OFFLINE = True
