-- How many days a supplier needs from an order to its dispatch; NULL: he has not said. Behind all other columns and in a
-- statement of its own: nothing is copied.
ALTER TABLE products
    ADD COLUMN lead_time_days SMALLINT NULL;
