CREATE TABLE "session_cutoffs" (
	"email" text PRIMARY KEY NOT NULL,
	"ended_before" timestamp (3) with time zone NOT NULL
);
