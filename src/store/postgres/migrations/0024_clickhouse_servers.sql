-- Where traces are stored: on one ClickHouse server, or on one set of replicas. Processes use one replica at a time.
CREATE TABLE clickhouse_servers (
    name text PRIMARY KEY,
    -- The address of the replica; null for a server without replicas.
    replica text,
    -- Counts the changes of the replica.
    term integer NOT NULL DEFAULT 0,
    -- False from a change of the replica until no process uses the one before, and the new one has all acknowledged rows.
    is_ready boolean NOT NULL DEFAULT false
);
INSERT INTO clickhouse_servers (name) VALUES ('main');

-- The processes that use the replica, each until its lease ends.
CREATE TABLE clickhouse_processes (
    id text PRIMARY KEY,
    server text NOT NULL REFERENCES clickhouse_servers (name),
    -- The process uses no replica of an earlier term.
    term integer NOT NULL,
    expires_at timestamptz NOT NULL
);

-- All traces of a project are on one of them: what refers to a call does not say in which trace it is.
ALTER TABLE projects ADD COLUMN clickhouse_server text NOT NULL DEFAULT 'main' REFERENCES clickhouse_servers (name);
