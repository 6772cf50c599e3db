-- The first schema. Words in braces differ by database (see store/migrate.py): {text} sorts by bytes,
-- {id} holds a UUID, {json} a JSON value, {half} a vector of half floats. Moments are microseconds
-- since 1970 in UTC. The tenant leads every key, so that the tables can be distributed by it.

CREATE TABLE tenants (
    tenant      {text} PRIMARY KEY,
    seq         BIGINT NOT NULL DEFAULT 0,
    created_at  BIGINT NOT NULL
);

CREATE TABLE spaces (
    tenant      {text} NOT NULL REFERENCES tenants (tenant),
    path        {text} NOT NULL,
    policy      {json},
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (tenant, path)
);

CREATE TABLE conversations (
    tenant      {text} NOT NULL,
    id          {id} NOT NULL,
    space       {text} NOT NULL,
    status      {text} NOT NULL CHECK (status IN ('active', 'paused', 'ended')),
    title       {text},
    summary     {text},
    turns       BIGINT NOT NULL DEFAULT 0,
    digested    BIGINT NOT NULL DEFAULT 0,
    chunked     BIGINT NOT NULL DEFAULT 0,
    enhanced    BIGINT NOT NULL DEFAULT 0,
    started_at  BIGINT NOT NULL,
    last_at     BIGINT,
    ended_at    BIGINT,
    metadata    {json},
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, space) REFERENCES spaces (tenant, path)
);
CREATE INDEX conversations_by_space ON conversations (tenant, space, id);
CREATE INDEX conversations_open ON conversations (tenant, last_at) WHERE status = 'active';

CREATE TABLE messages (
    tenant       {text} NOT NULL,
    id           {id} NOT NULL,
    space        {text} NOT NULL,
    conversation {id} NOT NULL,
    turn         BIGINT NOT NULL,
    role         {text} NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
    speaker      {text},
    trust        {text} NOT NULL,
    body         {text} NOT NULL,
    said_at      BIGINT NOT NULL,
    recorded_at  BIGINT NOT NULL,
    metadata     {json},
    digest       BIGINT NOT NULL,
    seq          BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, conversation) REFERENCES conversations (tenant, id)
);
CREATE UNIQUE INDEX messages_by_turn ON messages (tenant, conversation, turn);
CREATE UNIQUE INDEX messages_by_seq ON messages (tenant, seq);

CREATE TABLE chunks (
    tenant       {text} NOT NULL,
    id           {id} NOT NULL,
    space        {text} NOT NULL,
    conversation {id} NOT NULL,
    level        BIGINT NOT NULL,
    first_turn   BIGINT NOT NULL,
    last_turn    BIGINT NOT NULL,
    body         {text} NOT NULL,
    topics       {json} NOT NULL,
    tokens       BIGINT NOT NULL,
    trust        {text} NOT NULL,
    parent       {id},
    made_by      {text},
    recorded_at  BIGINT NOT NULL,
    digest       BIGINT NOT NULL,
    seq          BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, conversation) REFERENCES conversations (tenant, id)
);
CREATE UNIQUE INDEX chunks_by_turn ON chunks (tenant, conversation, level, first_turn);
CREATE UNIQUE INDEX chunks_by_seq ON chunks (tenant, seq);

-- The current version of every memory. Older versions move to memory_versions, same columns.
CREATE TABLE memories (
    tenant       {text} NOT NULL,
    id           {id} NOT NULL,
    version      BIGINT NOT NULL,
    space        {text} NOT NULL,
    kind         {text} NOT NULL,
    status       {text} NOT NULL,
    body         {text} NOT NULL,
    summary      {text},
    brief        {text},
    tag          {text},
    subject      {text},
    category     {text},
    key          {text},
    value        {text},
    importance   DOUBLE PRECISION NOT NULL,
    confidence   DOUBLE PRECISION NOT NULL,
    trust        {text} NOT NULL,
    pinned       BIGINT NOT NULL DEFAULT 0,
    doubtful     BIGINT NOT NULL DEFAULT 0,
    rebuild      BIGINT NOT NULL DEFAULT 0,
    tags         {json} NOT NULL,
    episode      {json},
    made_by      {text},
    metadata     {json},
    valid_from   BIGINT NOT NULL,
    valid_to     BIGINT,
    recorded_at  BIGINT NOT NULL,
    retired_at   BIGINT,
    digest       BIGINT NOT NULL,
    seq          BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, space) REFERENCES spaces (tenant, path)
);
CREATE INDEX memories_by_space ON memories (tenant, space, status, id);
CREATE INDEX memories_by_key ON memories (tenant, space, key) WHERE key IS NOT NULL;
CREATE UNIQUE INDEX memories_by_seq ON memories (tenant, seq);

CREATE TABLE memory_versions (
    tenant       {text} NOT NULL,
    id           {id} NOT NULL,
    version      BIGINT NOT NULL,
    space        {text} NOT NULL,
    kind         {text} NOT NULL,
    status       {text} NOT NULL,
    body         {text} NOT NULL,
    summary      {text},
    brief        {text},
    tag          {text},
    subject      {text},
    category     {text},
    key          {text},
    value        {text},
    importance   DOUBLE PRECISION NOT NULL,
    confidence   DOUBLE PRECISION NOT NULL,
    trust        {text} NOT NULL,
    pinned       BIGINT NOT NULL DEFAULT 0,
    doubtful     BIGINT NOT NULL DEFAULT 0,
    rebuild      BIGINT NOT NULL DEFAULT 0,
    tags         {json} NOT NULL,
    episode      {json},
    made_by      {text},
    metadata     {json},
    valid_from   BIGINT NOT NULL,
    valid_to     BIGINT,
    recorded_at  BIGINT NOT NULL,
    retired_at   BIGINT,
    digest       BIGINT NOT NULL,
    seq          BIGINT NOT NULL,
    PRIMARY KEY (tenant, id, version),
    FOREIGN KEY (tenant, id) REFERENCES memories (tenant, id)
);

CREATE INDEX memory_versions_by_seq ON memory_versions (tenant, seq);

CREATE TABLE provenance (
    tenant       {text} NOT NULL,
    memory       {id} NOT NULL,
    source_kind  {text} NOT NULL,
    source       {id} NOT NULL,
    PRIMARY KEY (tenant, memory, source_kind, source),
    FOREIGN KEY (tenant, memory) REFERENCES memories (tenant, id)
){without_rowid};
CREATE INDEX provenance_by_source ON provenance (tenant, source);

CREATE TABLE artifacts (
    tenant       {text} NOT NULL,
    memory       {id} NOT NULL,
    type         {text} NOT NULL CHECK (type IN ('commit', 'pr', 'adr', 'file')),
    ref          {text} NOT NULL,
    PRIMARY KEY (tenant, memory, type, ref),
    FOREIGN KEY (tenant, memory) REFERENCES memories (tenant, id)
){without_rowid};
CREATE INDEX artifacts_by_ref ON artifacts (tenant, type, ref);

CREATE TABLE usage (
    tenant       {text} NOT NULL,
    memory       {id} NOT NULL,
    retrieved    BIGINT NOT NULL DEFAULT 0,
    cited        BIGINT NOT NULL DEFAULT 0,
    ignored      BIGINT NOT NULL DEFAULT 0,
    last_used_at BIGINT,
    PRIMARY KEY (tenant, memory),
    FOREIGN KEY (tenant, memory) REFERENCES memories (tenant, id)
){without_rowid};

CREATE TABLE links (
    tenant       {text} NOT NULL,
    source       {id} NOT NULL,
    target       {id} NOT NULL,
    type         {text} NOT NULL,
    strength     DOUBLE PRECISION NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (tenant, source, target, type),
    FOREIGN KEY (tenant, source) REFERENCES memories (tenant, id),
    FOREIGN KEY (tenant, target) REFERENCES memories (tenant, id)
){without_rowid};
CREATE INDEX links_by_target ON links (tenant, target);

CREATE TABLE contradictions (
    tenant       {text} NOT NULL,
    id           {id} NOT NULL,
    space        {text} NOT NULL,
    memory_a     {id} NOT NULL,
    memory_b     {id} NOT NULL,
    reason       {text} NOT NULL,
    detected_at  BIGINT NOT NULL,
    resolved_at  BIGINT,
    resolution   {text} CHECK (resolution IN ('a_wins', 'b_wins', 'both_valid', 'merged')),
    note         {text},
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, memory_a) REFERENCES memories (tenant, id),
    FOREIGN KEY (tenant, memory_b) REFERENCES memories (tenant, id)
);
CREATE UNIQUE INDEX contradictions_by_pair ON contradictions (tenant, memory_a, memory_b);
CREATE INDEX contradictions_by_b ON contradictions (tenant, memory_b);

-- What was decided about every candidate that a message gave, and why.
CREATE TABLE decisions (
    tenant       {text} NOT NULL,
    id           {id} NOT NULL,
    space        {text} NOT NULL,
    message      {id},
    memory       {id},
    outcome      {text} NOT NULL,
    reason       {text} NOT NULL,
    rule         {text} NOT NULL,
    body         {text} NOT NULL,
    decided_at   BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, space) REFERENCES spaces (tenant, path)
){without_rowid};
CREATE INDEX decisions_by_message ON decisions (tenant, message);
CREATE INDEX decisions_by_memory ON decisions (tenant, memory);

-- Files and other texts from outside, by path, so that they are read again only when they change.
CREATE TABLE documents (
    tenant       {text} NOT NULL,
    id           {id} NOT NULL,
    space        {text} NOT NULL,
    path         {text} NOT NULL,
    digest       {text} NOT NULL,
    bytes        BIGINT NOT NULL,
    changed_at   BIGINT NOT NULL,
    recorded_at  BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, space) REFERENCES spaces (tenant, path)
);
CREATE UNIQUE INDEX documents_by_path ON documents (tenant, space, path);

-- One vector of a message, chunk or memory by one embedder; facet tells which text of it.
CREATE TABLE vectors (
    tenant       {text} NOT NULL,
    model        {text} NOT NULL,
    id           {id} NOT NULL,
    facet        {text} NOT NULL,
    kind         {text} NOT NULL,
    space        {text} NOT NULL,
    dim          BIGINT NOT NULL,
    vector       {half} NOT NULL,
    seq          BIGINT NOT NULL,
    PRIMARY KEY (tenant, model, id, facet)
){without_rowid};
CREATE INDEX vectors_by_seq ON vectors (tenant, seq);
CREATE INDEX vectors_by_id ON vectors (tenant, id);

-- What was erased, by id only: the indexes follow these to drop what they hold.
CREATE TABLE erasures (
    tenant       {text} NOT NULL,
    seq          BIGINT NOT NULL,
    kind         {text} NOT NULL,
    id           {id} NOT NULL,
    PRIMARY KEY (tenant, seq)
){without_rowid};

-- How far a follower of the change sequence has come.
CREATE TABLE cursors (
    tenant       {text} NOT NULL REFERENCES tenants (tenant),
    name         {text} NOT NULL,
    seq          BIGINT NOT NULL,
    PRIMARY KEY (tenant, name)
){without_rowid};

CREATE TABLE jobs (
    tenant       {text} NOT NULL,
    id           {id} NOT NULL,
    kind         {text} NOT NULL,
    key          {text},
    status       {text} NOT NULL CHECK (status IN ('ready', 'running', 'done', 'dead')),
    payload      {json} NOT NULL,
    priority     BIGINT NOT NULL DEFAULT 0,
    attempts     BIGINT NOT NULL DEFAULT 0,
    max_attempts BIGINT NOT NULL,
    run_at       BIGINT NOT NULL,
    leased_until BIGINT,
    worker       {text},
    error        {text},
    created_at   BIGINT NOT NULL,
    finished_at  BIGINT,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX jobs_waiting_once ON jobs (tenant, kind, key) WHERE status = 'ready';
CREATE UNIQUE INDEX jobs_running_once ON jobs (tenant, kind, key) WHERE status = 'running';
CREATE INDEX jobs_ready ON jobs (priority, run_at, id) WHERE status = 'ready';
CREATE INDEX jobs_leased ON jobs (leased_until) WHERE status = 'running';

CREATE TABLE schedules (
    tenant       {text} NOT NULL REFERENCES tenants (tenant),
    name         {text} NOT NULL,
    cron         {text} NOT NULL,
    kind         {text} NOT NULL,
    payload      {json} NOT NULL,
    next_at      BIGINT NOT NULL,
    last_at      BIGINT,
    PRIMARY KEY (tenant, name)
);
CREATE INDEX schedules_due ON schedules (next_at);

-- The ledger of model work: what was spent, on what, by which model.
CREATE TABLE energy (
    tenant       {text} NOT NULL REFERENCES tenants (tenant),
    id           {id} NOT NULL,
    space        {text},
    purpose      {text} NOT NULL,
    model        {text} NOT NULL,
    tokens_in    BIGINT NOT NULL,
    tokens_out   BIGINT NOT NULL,
    spent_at     BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX energy_by_time ON energy (tenant, spent_at);
