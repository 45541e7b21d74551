-- The tables of annex.db, schema version 1 (PRAGMA user_version). docs/storage.md explains them with an example.
-- A change here comes with a new version number and a migration step in migrate.cc.

-- Facts about the database as a whole. `compacted`: the oldest revision that can still be read.
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO meta VALUES ('compacted', 1);

-- One row for each set of objects. AUTOINCREMENT: an id never comes back, so rows of a dropped collection can be removed later.
CREATE TABLE collection (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  name         TEXT NOT NULL,
  terms_format INTEGER NOT NULL DEFAULT 0,
  dropped      INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX collection_name ON collection (name) WHERE dropped = 0;

-- Every state of every object that is still remembered, and every deletion (body NULL): the change log and the objects in one.
-- New rows always go to the end. The row with the greatest revision is never removed: it is where the count goes on after a start.
CREATE TABLE version (
  revision     INTEGER PRIMARY KEY,
  collection   INTEGER NOT NULL,
  key          TEXT NOT NULL,
  previous     INTEGER NOT NULL,  -- the revision that this one replaced; 0 if the object did not exist
  committed_at INTEGER NOT NULL,  -- Unix milliseconds
  format       INTEGER NOT NULL,
  revision_at  INTEGER NOT NULL,
  terms        BLOB NOT NULL,
  body         BLOB
);
CREATE INDEX version_log ON version (collection, revision);
INSERT INTO version VALUES (1, 0, '', 0, 0, 0, 0, x'', NULL);

-- The newest state of each object that exists.
CREATE TABLE head (
  collection INTEGER NOT NULL,
  key        TEXT NOT NULL,
  revision   INTEGER NOT NULL,
  PRIMARY KEY (collection, key)
) WITHOUT ROWID;

-- The objects that have a term, such as 'Lapp=web' or 'F.spec.size=3'.
CREATE TABLE term (
  collection INTEGER NOT NULL,
  term       TEXT NOT NULL,
  key        TEXT NOT NULL,
  PRIMARY KEY (collection, term, key)
) WITHOUT ROWID;

-- How many objects a collection has in each namespace ('' for cluster-scoped ones).
CREATE TABLE tally (
  collection INTEGER NOT NULL,
  namespace  TEXT NOT NULL,
  objects    INTEGER NOT NULL,
  PRIMARY KEY (collection, namespace)
) WITHOUT ROWID;
