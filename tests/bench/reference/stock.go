package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/go-sql-driver/mysql"
)

type bulkItem struct {
	ProductID int64        `json:"product_id"`
	SKU       string       `json:"sku"`
	StockQty  *json.Number `json:"stock_qty"`
	BasePrice *json.Number `json:"base_price"`
}

type itemError struct {
	Index int    `json:"index"`
	SKU   string `json:"sku"`
	Error string `json:"error"`
	Code  string `json:"code"`
}

type bulkResult struct {
	Updated int         `json:"updated"`
	Failed  int         `json:"failed"`
	Errors  []itemError `json:"errors"`
}

func marks(count int) string { return strings.Repeat(",?", count)[1:] }

// setAll is POST /stock and POST /prices: the SKUs are looked up, then one UPDATE sets all products, in a table that no
// list has an index of. In both modes.
func (s *server) setAll(r *http.Request, supplier int64, column string) (any, error) {
	var body struct{ Items []bulkItem }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body.Items) == 0 || len(body.Items) > 500 {
		return nil, invalid
	}
	if err := s.findSKUs(r.Context(), supplier, body.Items); err != nil {
		return nil, err
	}
	amounts, ids := map[int64]string{}, []int64{}
	for _, item := range body.Items {
		amount := item.StockQty
		if column == "base_price" {
			amount = item.BasePrice
		}
		if amount == nil {
			return nil, invalid
		}
		if item.ProductID == 0 {
			continue
		}
		if _, twice := amounts[item.ProductID]; !twice {
			ids = append(ids, item.ProductID)
		}
		amounts[item.ProductID] = amount.String()
	}
	sort.Slice(ids, func(a, b int) bool { return ids[a] < ids[b] })
	set, err := s.set(r.Context(), supplier, column, ids, amounts)
	if err != nil {
		return nil, err
	}
	if set != int64(len(ids)) {
		err = s.keepExisting(r.Context(), supplier, ids, amounts)
	}
	result := bulkResult{Errors: []itemError{}}
	for index, item := range body.Items {
		if _, ok := amounts[item.ProductID]; ok {
			result.Updated++
		} else {
			result.Errors = append(result.Errors, itemError{index, item.SKU, "Product not found", "not_found"})
		}
	}
	result.Failed = len(result.Errors)
	return result, err
}

// findSKUs gives the items that have only a SKU their products' ids.
func (s *server) findSKUs(ctx context.Context, supplier int64, items []bulkItem) error {
	args := []any{supplier}
	for _, item := range items {
		if item.ProductID == 0 {
			args = append(args, item.SKU)
		}
	}
	if len(args) == 1 {
		return nil
	}
	found := make(map[string]int64, len(args))
	err := s.each(ctx, `SELECT id, sku FROM supplierd_reference.bulk_products
		WHERE supplier_id = ? AND deleted = 0 AND sku IN (`+marks(len(args)-1)+")", args, func(scan func(...any) error) error {
		id, sku := int64(0), ""
		err := scan(&id, &sku)
		found[strings.ToLower(sku)] = id
		return err
	})
	for i := range items {
		if items[i].ProductID == 0 {
			items[i].ProductID = found[strings.ToLower(items[i].SKU)]
		}
	}
	return err
}

// set returns how many of the ids are products; once more after a deadlock.
func (s *server) set(ctx context.Context, supplier int64, column string, ids []int64, amounts map[int64]string) (int64, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	statement, err := s.prepare("UPDATE supplierd_reference.bulk_products SET " + column + " = ELT(INTERVAL(id," + marks(len(ids)) +
		")," + marks(len(ids)) + `), change_seq = ?, version = version + 1, updated_at = NOW(6)
		WHERE supplier_id = ? AND deleted = 0 AND id IN (` + marks(len(ids)) + ")")
	if err != nil {
		return 0, err
	}
	args := make([]any, 0, 3*len(ids)+2)
	for _, id := range ids {
		args = append(args, id)
	}
	for _, id := range ids {
		args = append(args, amounts[id])
	}
	args = append(args, atomic.AddInt64(&s.change, 1), supplier)
	args = append(args, args[:len(ids)]...)
	for attempt := 1; ; attempt++ {
		result, err := statement.ExecContext(ctx, args...)
		if err == nil {
			return result.RowsAffected()
		}
		var refused *mysql.MySQLError
		if attempt == 3 || !errors.As(err, &refused) || refused.Number != 1213 {
			return 0, err
		}
	}
}

// keepExisting drops the amounts of ids that are no products.
func (s *server) keepExisting(ctx context.Context, supplier int64, ids []int64, amounts map[int64]string) error {
	args, exist := []any{supplier}, map[int64]bool{}
	for _, id := range ids {
		args = append(args, id)
	}
	err := s.each(ctx, `SELECT id FROM supplierd_reference.bulk_products
		WHERE supplier_id = ? AND deleted = 0 AND id IN (`+marks(len(ids))+")", args, func(scan func(...any) error) error {
		id := int64(0)
		err := scan(&id)
		exist[id] = true
		return err
	})
	for _, id := range ids {
		if !exist[id] {
			delete(amounts, id)
		}
	}
	return err
}
