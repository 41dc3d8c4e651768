-- Says which key encrypts the secrets of this deployment, without the key, so that processes with another one can be refused.
CREATE TABLE secret_key (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    -- A hash that only the key gives.
    fingerprint text NOT NULL
);
