-- One-time tokens that sign a user in, as hashes.
CREATE TABLE sign_in_links (
    hash text PRIMARY KEY,
    user_id text NOT NULL REFERENCES users (id),
    expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_links_by_user ON sign_in_links (user_id);

-- The processes that serve this deployment, each until its lease ends.
CREATE TABLE processes (
    id text PRIMARY KEY,
    -- For people: the machine and the number of the process.
    name text NOT NULL,
    -- The number of the last notice that the process has taken into account.
    acknowledged bigint NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

-- Changes that make what other processes keep in memory outdated.
CREATE TABLE notices (
    number bigint PRIMARY KEY,
    topic text NOT NULL,
    key text NOT NULL,
    sent_at timestamptz NOT NULL DEFAULT now()
);
-- The number of the last notice. The row is locked until a notice is committed, so numbers are committed in order.
CREATE TABLE last_notice (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    number bigint NOT NULL
);
INSERT INTO last_notice (number) VALUES (0);

-- Work that one process does for all, each until its lease ends.
CREATE TABLE leases (
    name text PRIMARY KEY,
    process text NOT NULL,
    -- Grows with each holder, so that writes of earlier ones can be rejected.
    attempt bigint NOT NULL,
    expires_at timestamptz NOT NULL
);
