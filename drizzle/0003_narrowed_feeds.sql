CREATE INDEX CONCURRENTLY IF NOT EXISTS "defects_project_feed" ON "defects" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "defects_words" ON "defects" USING gin (searched_words(searched_text("verbatim"))) WITH (fastupdate = off);
