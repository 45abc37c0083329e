CREATE OR REPLACE DEFINER = 'root'@'localhost'
PROCEDURE mysql.make_account(IN account VARCHAR(64), IN secret VARCHAR(64), IN names TEXT, IN others VARCHAR(6))
MODIFIES SQL DATA
SQL SECURITY DEFINER
BEGIN
  /* Each name is checked before the first statement that changes something, and quoted in all of them. */
  DECLARE rest TEXT DEFAULT names;
  DECLARE name TEXT;
  DECLARE held TEXT;
  IF account REGEXP BINARY '[^a-z0-9_-]' OR account IN ('', 'root', 'mysql', 'setup')
    OR secret REGEXP BINARY '[^A-Za-z0-9]' OR secret = '' OR others NOT IN ('keep', 'remove') THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the name of the account or its password is not allowed';
  END IF;
  WHILE rest <> '' DO
    SET name = SUBSTRING_INDEX(rest, ',', 1);
    SET rest = SUBSTRING(rest, CHAR_LENGTH(name) + 2);
    IF name REGEXP BINARY '[^a-z0-9_-]' OR (name <> account AND LOCATE(CONCAT(account, '_'), name) <> 1)
      OR name IN ('information_schema', 'mysql', 'performance_schema', 'sys') THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'a database of the account must have its name, or begin with it and an underscore';
    END IF;
  END WHILE;
  EXECUTE IMMEDIATE CONCAT('CREATE USER IF NOT EXISTS ''', account, '''@''%''');
  /* The password before stays valid until all pods have the new one, which a later call with 'remove' tells. */
  SET held = (SELECT NULLIF(JSON_VALUE(Priv, '$.authentication_string'), '') FROM mysql.global_priv WHERE User = account AND Host = '%');
  IF others = 'remove' OR held IS NULL OR held NOT REGEXP '^[*][0-9A-F]{40}$' THEN
    EXECUTE IMMEDIATE CONCAT('ALTER USER ''', account, '''@''%'' IDENTIFIED BY ''', secret, '''');
  ELSEIF held <> PASSWORD(secret) THEN
    EXECUTE IMMEDIATE CONCAT('ALTER USER ''', account, '''@''%'' IDENTIFIED VIA mysql_native_password USING PASSWORD(''', secret, ''') OR mysql_native_password USING ''', held, '''');
  END IF;
  SET rest = names;
  WHILE rest <> '' DO
    SET name = SUBSTRING_INDEX(rest, ',', 1);
    SET rest = SUBSTRING(rest, CHAR_LENGTH(name) + 2);
    EXECUTE IMMEDIATE CONCAT('CREATE DATABASE IF NOT EXISTS `', name, '` CHARACTER SET utf8mb3');
    EXECUTE IMMEDIATE CONCAT('GRANT ALL PRIVILEGES ON `', REPLACE(name, '_', CONCAT(CHAR(92), '_')), '`.* TO ''', account, '''@''%''');
  END WHILE;
END;
