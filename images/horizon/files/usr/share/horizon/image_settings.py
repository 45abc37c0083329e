"""Settings that depend on the image's build; read after the site's settings."""

# The static files were collected and compressed when the image was built.
STATIC_ROOT = "/usr/share/horizon/static"
COMPRESS_OFFLINE = True
