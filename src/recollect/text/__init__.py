"""Pure language work: terms, sentences, dates, summaries. Nothing here reads or writes anything."""
