package main

import (
	"context"
	"net/http"
)

var (
	statuses = []string{"pending", "confirmed", "processing", "shipped", "delivered", "completed", "cancelled"}
	parties  = []string{"supplier", "platform"}
	moves    = [][]string{{"confirmed", "cancelled"}, {"processing", "cancelled"}, {"shipped", "cancelled"}, {"delivered"}, {}, {}, {}}
)

type order struct {
	ID           int64   `json:"id"`
	OrderNumber  string  `json:"order_number"`
	Status       string  `json:"status"`
	Currency     string  `json:"currency"`
	Subtotal     float64 `json:"subtotal"`
	VatTotal     float64 `json:"vat_total"`
	Total        float64 `json:"total"`
	ItemsCount   int64   `json:"items_count"`
	CustomerName string  `json:"customer_name"`
	CreatedAt    moment  `json:"created_at"`
	UpdatedAt    moment  `json:"updated_at"`
}

const orderColumns = `g.id, g.order_number, g.status, g.currency, g.subtotal, g.vat_total, g.total, g.items_count,
	g.customer_name, g.created_at, g.updated_at`

func (o *order) read(scan func(...any) error, more ...any) (status int, err error) {
	into := []any{&o.ID, &o.OrderNumber, &status, &o.Currency, &o.Subtotal, &o.VatTotal, &o.Total, &o.ItemsCount,
		&o.CustomerName, &o.CreatedAt, &o.UpdatedAt}
	if err = scan(append(into, more...)...); err == nil {
		o.Status = statuses[status]
	}
	return
}

type orderList struct {
	Orders     []order    `json:"orders"`
	Pagination pagination `json:"pagination"`
}

func (s *server) listOrders(r *http.Request, supplier int64) (any, error) {
	page, err := readPage(r.URL.Query())
	if err != nil {
		return nil, err
	}
	list, total := orderList{Orders: make([]order, 0, page.PerPage)}, int64(0)
	text, args, more := "SELECT "+orderColumns+` FROM order_groups g WHERE g.supplier_id = ? ORDER BY g.id DESC LIMIT ? OFFSET ?`,
		append([]any{supplier}, page.window()...), []any(nil)
	if s.tuned {
		more = []any{&total}
		text = "SELECT " + orderColumns + `, t.pending + t.confirmed + t.processing + t.shipped + t.delivered + t.completed + t.cancelled
			FROM (SELECT g.supplier_id, g.id FROM order_groups g FORCE INDEX (order_groups_ids) WHERE g.supplier_id = ?
				ORDER BY g.id DESC LIMIT ? OFFSET ?) page
			STRAIGHT_JOIN order_totals t ON t.supplier_id = page.supplier_id
			STRAIGHT_JOIN order_groups g FORCE INDEX (PRIMARY) ON g.supplier_id = page.supplier_id AND g.id = page.id
			ORDER BY g.id DESC`
	}
	err = s.each(r.Context(), text, args, func(scan func(...any) error) error {
		list.Orders = append(list.Orders, order{})
		_, err := list.Orders[len(list.Orders)-1].read(scan, more...)
		return err
	})
	if err == nil && (!s.tuned || len(list.Orders) == 0) {
		err = s.each(r.Context(), "SELECT COUNT(*) FROM order_groups g WHERE g.supplier_id = ?", []any{supplier},
			func(scan func(...any) error) error { return scan(&total) })
	}
	page.setTotal(total)
	list.Pagination = page
	return list, err
}

type orderItem struct {
	ID        int64   `json:"id"`
	ProductID int64   `json:"product_id"`
	VariantID *int64  `json:"variant_id"`
	SKU       *string `json:"sku"`
	Name      string  `json:"name"`
	Unit      string  `json:"unit"`
	Quantity  int64   `json:"quantity"`
	UnitPrice float64 `json:"unit_price"`
	VatRate   float64 `json:"vat_rate"`
	LineTotal float64 `json:"line_total"`
}

type address struct {
	Line1      *string `json:"line1"`
	Line2      *string `json:"line2"`
	PostalCode *string `json:"postal_code"`
	City       *string `json:"city"`
	Country    *string `json:"country"`
}

func (a *address) orNull() *address {
	if *a == (address{}) {
		return nil
	}
	return a
}

type customer struct {
	CompanyName string   `json:"company_name"`
	ContactName *string  `json:"contact_name"`
	Email       *string  `json:"email"`
	Phone       *string  `json:"phone"`
	VatNumber   *string  `json:"vat_number"`
	Billing     *address `json:"billing_address"`
	Shipping    *address `json:"shipping_address"`
}

type statusChange struct {
	From      *string `json:"from_status"`
	To        string  `json:"to_status"`
	Comment   *string `json:"comment"`
	ChangedBy string  `json:"changed_by"`
	CreatedAt moment  `json:"created_at"`
}

type tracking struct {
	Carrier *string `json:"carrier"`
	Number  *string `json:"number"`
	URL     *string `json:"url"`
}

type orderDetail struct {
	order
	Items    []orderItem    `json:"items"`
	Customer customer       `json:"customer"`
	History  []statusChange `json:"status_history"`
	Allowed  []string       `json:"allowed_statuses"`
	Tracking *tracking      `json:"tracking"`
}

func (s *server) readOrder(ctx context.Context, supplier, id int64) (any, error) {
	o := orderDetail{Items: make([]orderItem, 0, 4), History: make([]statusChange, 0, 4)}
	err := s.each(ctx, "SELECT "+orderColumns+`, o.contact_name, o.email, o.phone, o.vat_number,
			o.billing_line1, o.billing_line2, o.billing_postal_code, o.billing_city, o.billing_country,
			o.shipping_line1, o.shipping_line2, o.shipping_postal_code, o.shipping_city, o.shipping_country,
			g.tracking_carrier, g.tracking_number, g.tracking_url
		FROM order_groups g JOIN orders o ON o.id = g.order_id WHERE g.supplier_id = ? AND g.id = ?`, []any{supplier, id},
		func(scan func(...any) error) error {
			c, b, d, t := &o.Customer, &address{}, &address{}, &tracking{}
			status, err := o.read(scan, &c.ContactName, &c.Email, &c.Phone, &c.VatNumber,
				&b.Line1, &b.Line2, &b.PostalCode, &b.City, &b.Country, &d.Line1, &d.Line2, &d.PostalCode, &d.City, &d.Country,
				&t.Carrier, &t.Number, &t.URL)
			c.CompanyName, c.Billing, c.Shipping, o.Allowed = o.CustomerName, b.orNull(), d.orNull(), moves[status]
			if *t != (tracking{}) {
				o.Tracking = t
			}
			return err
		})
	if err == nil && o.ID == 0 {
		err = notFound
	}
	if err == nil {
		err = s.each(ctx, `SELECT id, product_id, variant_id, sku, name, unit, quantity, unit_price, vat_rate, line_total
			FROM order_items WHERE order_group_id = ? ORDER BY id`, []any{id}, func(scan func(...any) error) error {
			i, unit := orderItem{}, 0
			err := scan(&i.ID, &i.ProductID, &i.VariantID, &i.SKU, &i.Name, &unit, &i.Quantity, &i.UnitPrice, &i.VatRate, &i.LineTotal)
			i.Unit = units[unit]
			o.Items = append(o.Items, i)
			return err
		})
	}
	if err == nil {
		err = s.each(ctx, `SELECT from_status, to_status, comment, changed_by, created_at
			FROM order_status_history WHERE order_group_id = ? ORDER BY id`, []any{id}, func(scan func(...any) error) error {
			h, from, to, by := statusChange{}, (*int)(nil), 0, 0
			err := scan(&from, &to, &h.Comment, &by, &h.CreatedAt)
			if from != nil {
				h.From = &statuses[*from]
			}
			h.To, h.ChangedBy = statuses[to], parties[by]
			o.History = append(o.History, h)
			return err
		})
	}
	return map[string]any{"order": o}, err
}
