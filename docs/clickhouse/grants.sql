-- What heddle needs on a ClickHouse server, for an administrator to run. The tests hold heddle to it.
CREATE DATABASE IF NOT EXISTS heddle;
CREATE USER IF NOT EXISTS heddle IDENTIFIED BY 'PASSWORD';
GRANT SELECT, INSERT, CREATE TABLE, ALTER TABLE ON heddle.* TO heddle;
-- Not needed if the database exists.
GRANT CREATE DATABASE ON heddle.* TO heddle;
-- Not needed on servers where every user may read these.
GRANT SELECT ON system.databases TO heddle;
GRANT SELECT ON system.processes TO heddle;
GRANT SELECT ON system.settings TO heddle;
-- For the free space that heddle shows.
GRANT SELECT ON system.disks TO heddle;
GRANT SELECT ON system.parts TO heddle;
