"""Pure ranking: a question becomes a Query, proposed rows become scored and explained hits."""
