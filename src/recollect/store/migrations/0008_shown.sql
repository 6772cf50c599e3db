-- What stood behind the refs of a context, in its own row: [[ref, id, kind, standing], ...]. A row an item
-- took four index entries and 300 bytes each, more than all memories together after a month of talking.
ALTER TABLE contexts ADD COLUMN items {json} NOT NULL DEFAULT '[]';
