package main

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

var (
	types     = []string{"flower", "supply"}
	units     = []string{"stem", "bunch", "box", "pack", "piece", "kilogram", "meter", "roll"}
	approvals = []string{"pending", "approved", "rejected"}
	states    = map[string]int{"pending": 0, "active": 1, "inactive": 2}
	sortKeys  = map[string]string{"id": "live", "name": "name", "base_price": "price", "stock_qty": "stock", "updated_at": "updated"}
)

// moment is a DATETIME as the API shows it.
type moment string

func (m *moment) Scan(value any) error {
	text := string(value.([]byte))
	*m = moment(text[:10] + "T" + text[11:19] + "Z")
	return nil
}

type categoryName struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type product struct {
	ID           int64        `json:"id"`
	Name         string       `json:"name"`
	SKU          *string      `json:"sku"`
	Type         string       `json:"type"`
	BasePrice    float64      `json:"base_price"`
	Unit         string       `json:"unit"`
	StockQty     int64        `json:"stock_qty"`
	StockStatus  string       `json:"stock_status"`
	IsActive     bool         `json:"is_active"`
	IsApproved   bool         `json:"is_approved"`
	Category     categoryName `json:"category"`
	PrimaryImage *string      `json:"primary_image"`
	LeadTimeDays *int64       `json:"lead_time_days"`
}

const productColumns = `p.id, p.name, p.sku, p.type, p.base_price, p.unit, p.stock_qty, p.min_order_qty, p.is_active,
	p.approval, p.category_id, c.name, p.primary_image, p.lead_time_days`

func stockStatus(stock, minOrder int64) string {
	switch {
	case stock == 0:
		return "out_of_stock"
	case stock < minOrder:
		return "low_stock"
	}
	return "in_stock"
}

// read scans productColumns and what follows them; returns min_order_qty and the approval.
func (p *product) read(scan func(...any) error, more ...any) (minOrder int64, approval int, err error) {
	var kind, unit int
	into := []any{&p.ID, &p.Name, &p.SKU, &kind, &p.BasePrice, &unit, &p.StockQty, &minOrder, &p.IsActive, &approval,
		&p.Category.ID, &p.Category.Name, &p.PrimaryImage, &p.LeadTimeDays}
	if err = scan(append(into, more...)...); err == nil {
		p.Type, p.Unit, p.IsApproved = types[kind], units[unit], approval == 1
		p.StockStatus = stockStatus(p.StockQty, minOrder)
	}
	return
}

type pagination struct {
	CurrentPage int64   `json:"current_page"`
	TotalPages  int64   `json:"total_pages"`
	TotalItems  int64   `json:"total_items"`
	PerPage     int64   `json:"per_page"`
	NextCursor  *string `json:"next_cursor"` // supplierd's own: always null
}

func readPage(query url.Values) (page pagination, err error) {
	page = pagination{CurrentPage: 1, PerPage: 20}
	for name, value := range map[string]*int64{"page": &page.CurrentPage, "per_page": &page.PerPage} {
		if text := query.Get(name); text != "" {
			if *value, err = strconv.ParseInt(text, 10, 64); err != nil || *value < 1 {
				return page, invalid
			}
		}
	}
	if page.PerPage > 100 {
		page.PerPage = 100
	}
	return page, nil
}

func (p *pagination) setTotal(total int64) {
	p.TotalItems, p.TotalPages = total, (total+p.PerPage-1)/p.PerPage
}

func (p *pagination) window() []any { return []any{p.PerPage, (p.CurrentPage - 1) * p.PerPage} }

// productQuery is what a list asks for, in SQL.
type productQuery struct {
	where     string
	args      []any
	order     string
	index     string // that has everything the search for ids needs
	total     string // a scalar query; "": the matches have to be counted
	totalArgs []any
	isFront   bool // the first page in the order of the primary key
}

func readProductQuery(query url.Values, supplier int64, page pagination) (q productQuery, err error) {
	q.where, q.args = "p.supplier_id = ? AND p.deleted = 0", []any{supplier}
	q.total, q.totalArgs = "SELECT SUM(t.products) FROM supplierd_reference.totals t WHERE t.supplier_id = ? AND t.category_id = ?", []any{supplier, 0}
	sort := query.Get("sort")
	if sort == "" {
		sort = "-id"
	}
	key, direction := strings.TrimPrefix(sort, "-"), ""
	if key != sort {
		direction = " DESC"
	}
	if q.index = sortKeys[key]; q.index == "" {
		return q, invalid
	}
	q.order = "p." + key + direction
	if key != "id" {
		q.order += ", p.id" + direction
	}
	filters := 0
	if id := query.Get("category_id"); id != "" {
		q.where, q.args, q.totalArgs[1] = q.where+" AND p.category_id = ?", append(q.args, id), id
		filters++
		if key == "id" {
			q.index = "category"
		}
	}
	if name := query.Get("status"); name != "" {
		state, ok := states[name]
		if !ok {
			return q, invalid
		}
		q.where, q.args = q.where+" AND p.state = ?", append(q.args, state)
		q.total, q.totalArgs = q.total+" AND t.state = ?", append(q.totalArgs, state)
		filters++
		if key == "id" && q.index == "live" {
			q.index = "state"
		}
	}
	if text := query.Get("search"); text != "" {
		pattern := "%" + strings.NewReplacer("|", "||", "%", "|%", "_", "|_").Replace(text) + "%"
		q.where += " AND (p.name LIKE ? ESCAPE '|' OR p.sku LIKE ? ESCAPE '|')"
		q.args, q.total, q.index = append(q.args, pattern, pattern), "", "name"
		filters++
	}
	q.isFront = filters == 0 && key == "id" && page.CurrentPage == 1
	return q, nil
}

func (q productQuery) count() string {
	return "SELECT COUNT(*) FROM supplierd_reference.list_products p WHERE " + q.where
}

// plain is a page as everybody writes it.
func (q productQuery) plain() string {
	return "SELECT " + productColumns + " FROM supplierd_reference.list_products p LEFT JOIN categories c ON c.id = p.category_id WHERE " +
		q.where + " ORDER BY " + q.order + " LIMIT ? OFFSET ?"
}

// tuned is a page with its total.
func (q productQuery) tuned() (text string, args []any) {
	if q.isFront {
		return "SELECT " + productColumns + ", (" + q.total + `) FROM supplierd_reference.list_products p FORCE INDEX (PRIMARY)
			STRAIGHT_JOIN categories c ON c.id = p.category_id WHERE ` + q.where + " ORDER BY " + q.order + " LIMIT ? OFFSET ?",
			append(append([]any{}, q.totalArgs...), q.args...)
	}
	total, matches := "("+q.total+")", ""
	args = append(args, q.totalArgs...)
	if q.total == "" {
		total, matches, args = "page.matches", ", COUNT(*) OVER () AS matches", nil
	}
	text = "SELECT " + productColumns + ", " + total + " FROM (SELECT p.supplier_id, p.id" + matches +
		" FROM supplierd_reference.list_products p FORCE INDEX (list_" + q.index + ") WHERE " + q.where + " ORDER BY " + q.order +
		` LIMIT ? OFFSET ?) page STRAIGHT_JOIN supplierd_reference.list_products p FORCE INDEX (PRIMARY)
		ON p.supplier_id = page.supplier_id AND p.deleted = 0 AND p.id = page.id
		STRAIGHT_JOIN categories c ON c.id = p.category_id ORDER BY ` + q.order
	return text, append(args, q.args...)
}

type productList struct {
	Products   []product  `json:"products"`
	Pagination pagination `json:"pagination"`
}

func (s *server) listProducts(r *http.Request, supplier int64) (any, error) {
	parameters := r.URL.Query()
	page, err := readPage(parameters)
	if err != nil {
		return nil, err
	}
	query, err := readProductQuery(parameters, supplier, page)
	if err != nil {
		return nil, err
	}
	list, total := productList{Products: make([]product, 0, page.PerPage)}, int64(0)
	text, args, more := query.plain(), query.args, []any(nil)
	if s.tuned {
		text, args = query.tuned()
		more = []any{&total}
	}
	err = s.each(r.Context(), text, append(args, page.window()...), func(scan func(...any) error) error {
		list.Products = append(list.Products, product{})
		_, _, err := list.Products[len(list.Products)-1].read(scan, more...)
		return err
	})
	if err == nil && (!s.tuned || len(list.Products) == 0) {
		err = s.each(r.Context(), query.count(), query.args, func(scan func(...any) error) error { return scan(&total) })
	}
	page.setTotal(total)
	list.Pagination = page
	return list, err
}

type variant struct {
	ID          int64    `json:"id"`
	SKU         *string  `json:"sku"`
	Name        string   `json:"name"`
	Color       *string  `json:"color"`
	StemLength  *int64   `json:"stem_length"`
	BasePrice   *float64 `json:"base_price"`
	StockQty    int64    `json:"stock_qty"`
	StockStatus string   `json:"stock_status"`
	IsActive    bool     `json:"is_active"`
}

type approval struct {
	Status string  `json:"status"`
	Reason *string `json:"reason"`
}

type productDetail struct {
	product
	Description *string   `json:"description"`
	MinOrderQty int64     `json:"min_order_qty"`
	Color       *string   `json:"color"`
	StemLength  *int64    `json:"stem_length"`
	Country     *string   `json:"country_of_origin"`
	VatRate     float64   `json:"vat_rate"`
	Approval    approval  `json:"approval"`
	CreatedAt   moment    `json:"created_at"`
	UpdatedAt   moment    `json:"updated_at"`
	Version     int64     `json:"version"`
	Images      []any     `json:"images"` // the bench runs without the plugin that has them
	Variants    []variant `json:"variants"`
}

func (s *server) readProduct(ctx context.Context, supplier, id int64) (any, error) {
	p, hasVariants := productDetail{Images: []any{}, Variants: []variant{}}, false
	err := s.each(ctx, "SELECT "+productColumns+`, p.description, p.color, p.stem_length, p.country_of_origin, p.vat_rate,
			p.approval_reason, p.created_at, p.updated_at, p.version,
			EXISTS (SELECT 1 FROM product_variants v WHERE v.product_id = p.id)
		FROM products p LEFT JOIN categories c ON c.id = p.category_id
		WHERE p.supplier_id = ? AND p.deleted = 0 AND p.id = ?`, []any{supplier, id}, func(scan func(...any) error) error {
		minOrder, status, err := p.read(scan, &p.Description, &p.Color, &p.StemLength, &p.Country, &p.VatRate,
			&p.Approval.Reason, &p.CreatedAt, &p.UpdatedAt, &p.Version, &hasVariants)
		p.MinOrderQty, p.Approval.Status = minOrder, approvals[status]
		return err
	})
	if err == nil && p.ID == 0 {
		err = notFound
	}
	if err == nil && hasVariants {
		err = s.each(ctx, `SELECT id, sku, name, color, stem_length, base_price, stock_qty, is_active FROM product_variants
			WHERE product_id = ? ORDER BY id`, []any{id}, func(scan func(...any) error) error {
			v := variant{}
			err := scan(&v.ID, &v.SKU, &v.Name, &v.Color, &v.StemLength, &v.BasePrice, &v.StockQty, &v.IsActive)
			v.StockStatus = stockStatus(v.StockQty, p.MinOrderQty)
			p.Variants = append(p.Variants, v)
			return err
		})
	}
	return map[string]any{"product": p}, err
}

type category struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	Slug     string `json:"slug"`
	ParentID *int64 `json:"parent_id"`
	Type     string `json:"type"`
}

type categoryList struct {
	Categories []category `json:"categories"`
	ChangeSeq  int64      `json:"change_seq"`
}

// All are active in the bench, so no parent is looked at.
func (s *server) listCategories(ctx context.Context) (any, error) {
	list := categoryList{Categories: make([]category, 0, 64)}
	err := s.each(ctx, `SELECT t.change_seq, c.id, c.name, c.slug, c.parent_id, c.type FROM category_tree t JOIN categories c
		WHERE c.is_active = 1 ORDER BY c.id`, nil, func(scan func(...any) error) error {
		c := category{}
		err := scan(&list.ChangeSeq, &c.ID, &c.Name, &c.Slug, &c.ParentID, &c.Type)
		list.Categories = append(list.Categories, c)
		return err
	})
	return list, err
}
