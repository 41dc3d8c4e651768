-- The numbers of what processes write to ClickHouse, in blocks for a batch each. Before several processes write, it is set to a
-- value above all that is stored.
CREATE SEQUENCE write_numbers AS bigint INCREMENT BY 4096;
-- The process writes nothing with this number or a smaller one any more.
ALTER TABLE processes ADD COLUMN written_up_to bigint NOT NULL DEFAULT 0;
