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
GRANT SELECT ON system.tables TO heddle;
-- For the free space that heddle shows.
GRANT SELECT ON system.disks TO heddle;
GRANT SELECT ON system.parts TO heddle;

-- For replicas; run all of this file on each, with ON CLUSTER after the names, or with replicated access storage.
GRANT SYSTEM SYNC REPLICA ON heddle.* TO heddle;
GRANT SELECT ON system.clusters TO heddle;
GRANT SELECT ON system.columns TO heddle;
GRANT SELECT ON system.replicas TO heddle;
-- For ?cluster=NAME in the address.
GRANT CLUSTER ON *.* TO heddle;
GRANT SELECT ON system.distributed_ddl_queue TO heddle;
-- For a database of the engine Replicated.
GRANT SYSTEM SYNC DATABASE REPLICA ON heddle.* TO heddle;
