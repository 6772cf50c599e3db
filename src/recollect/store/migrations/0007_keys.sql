-- Who may come in through a server, what they changed, and the answers that a retried write gets again.

-- Only the SHA-256 of a key's 256 random bits is kept. A key is looked up before its tenant is known, so this
-- table stands outside the wall between tenants; like `jobs` it holds names and no text of anybody's.
CREATE TABLE keys (
    tenant        {text} NOT NULL,
    id            {id} NOT NULL,
    name          {text} NOT NULL,
    prefix        {text} NOT NULL,
    hash          {text} NOT NULL,
    spaces        {json} NOT NULL,
    rights        {json} NOT NULL,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT,
    revoked_at    BIGINT,
    last_used_at  BIGINT,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX keys_by_hash ON keys (hash);

CREATE TABLE audit (
    tenant     {text} NOT NULL,
    id         {id} NOT NULL,
    at         BIGINT NOT NULL,
    who        {text} NOT NULL,
    operation  {text} NOT NULL,
    space      {text},
    ids        {json} NOT NULL,
    PRIMARY KEY (tenant, id)
);

-- An erasure empties the bodies: that something was done stays known, what it said does not.
CREATE TABLE answers (
    tenant       {text} NOT NULL,
    who          {text} NOT NULL,
    key          {text} NOT NULL,
    fingerprint  {text} NOT NULL,
    status       BIGINT NOT NULL,
    body         {text},
    made_at      BIGINT NOT NULL,
    PRIMARY KEY (tenant, who, key)
);
CREATE INDEX answers_by_time ON answers (tenant, made_at);
