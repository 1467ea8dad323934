-- Keeps the place of another change's migration; goes when that is merged.
SELECT 1;
