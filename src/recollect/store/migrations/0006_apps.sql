-- The figures of apps: how often something happened in an hour, and which conversations were given memories.

CREATE TABLE app_counts (
    tenant  {text} NOT NULL,
    space   {text} NOT NULL,
    name    {text} NOT NULL,
    hour    BIGINT NOT NULL,
    n       BIGINT NOT NULL,
    PRIMARY KEY (tenant, space, name, hour),
    FOREIGN KEY (tenant, space) REFERENCES spaces (tenant, path)
){without_rowid};

CREATE TABLE app_injections (
    tenant        {text} NOT NULL,
    conversation  {id} NOT NULL,
    space         {text} NOT NULL,
    first_at      BIGINT NOT NULL,
    PRIMARY KEY (tenant, conversation),
    FOREIGN KEY (tenant, conversation) REFERENCES conversations (tenant, id)
){without_rowid};
CREATE INDEX app_injections_by_space ON app_injections (tenant, space);
