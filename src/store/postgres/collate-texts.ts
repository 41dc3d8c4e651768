/**
 * Makes the text columns of a schema sort by code point, unless the whole database does, as embedded PostgreSQL does. Orders that
 * clients see then do not depend on the locale of a server, and indexes have them. Run after migrations, which need not say so.
 */
export const collateTexts = `DO $$
DECLARE
  changed record;
BEGIN
  IF EXISTS (
    SELECT FROM pg_database
    WHERE datname = current_database() AND datlocprovider = 'c' AND datcollate IN ('C', 'POSIX', 'C.UTF-8', 'C.utf8')
  ) THEN
    RETURN;
  END IF;
  FOR changed IN
    SELECT attrelid::regclass AS relation,
      string_agg(format('ALTER COLUMN %I TYPE %s COLLATE "C"', attname, format_type(atttypid, atttypmod)), ', ') AS columns
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
      AND attcollation = 'pg_catalog."default"'::regcollation
    GROUP BY attrelid
  LOOP
    EXECUTE format('ALTER TABLE %s %s', changed.relation, changed.columns);
  END LOOP;
END $$`;
