-- When a product was submitted again, approved or rejected; NULL: it waits since it was added, or was decided on before this.
ALTER TABLE products
    ADD COLUMN approval_at DATETIME(6) NULL;
