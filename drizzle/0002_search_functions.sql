-- As it is searched: folded, every white space one space, one of them in front. Nothing here depends on the locale.
-- Not in SQL, as what is written out in a query loses the statistics of its index.
CREATE FUNCTION searched_text(said text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
	RETURN ' ' || regexp_replace(
		lower(normalize(said, NFKC) COLLATE "und-x-icu") COLLATE "C",
		'[\u0009-\u000d \u0085\u1680\u2028\u2029\ufeff]+', ' ', 'g');
END
$$;
--> statement-breakpoint
-- The words, and what follows a hyphen, dot or slash inside them; the beginning of each.
CREATE FUNCTION searched_words(searched text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
	word text;
	beginnings text[] := '{}';
	-- Nobody looks for what follows more separators than a long text has; made to have thousands, one would hold up others.
	tails int := 500;
BEGIN
	FOREACH word IN ARRAY string_to_array(searched, ' ') LOOP
		CONTINUE WHEN word = '';
		beginnings := beginnings || left(word, 50);
		WHILE tails > 0 AND word ~ '[-./]' LOOP
			tails := tails - 1;
			word := regexp_replace(word, '^[^-./]*[-./]', '');
			IF word <> '' THEN
				beginnings := beginnings || left(word, 50);
			END IF;
		END LOOP;
	END LOOP;
	RETURN array_to_tsvector(beginnings);
END
$$;
--> statement-breakpoint
CREATE FUNCTION searched_for(words text) RETURNS tsquery LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
	SELECT string_agg('''' || replace(replace(left(word, 50), '\', '\\'), '''', '''''') || ''':*', ' & ')::tsquery
	FROM string_to_table(searched_text(words), ' ') AS word WHERE word <> '');
--> statement-breakpoint
-- For words that are longer than the beginnings kept of them.
CREATE FUNCTION searched_whole(said text, words text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
	SELECT bool_and(
		strpos(searched, ' ' || word) > 0 OR strpos(searched, '-' || word) > 0
		OR strpos(searched, '.' || word) > 0 OR strpos(searched, '/' || word) > 0)
	FROM searched_text(said) AS searched, string_to_table(searched_text(words), ' ') AS word WHERE word <> '');
