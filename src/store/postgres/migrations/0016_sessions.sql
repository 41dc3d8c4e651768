-- Sign-ins of the web page. The cookie holds a random token, this table only its hash.
CREATE TABLE sessions (
    -- SHA-256 of the token, hex: tokens are random, so a fast hash is safe.
    hash text PRIMARY KEY,
    user_id text NOT NULL REFERENCES users (id),
    -- The key that the user signed in with; null for a sign-in link. A session ends when its key is revoked.
    key_id text REFERENCES api_keys (id),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id, created_at);
