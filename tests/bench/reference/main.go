// The peer of tests/bench/run: the supplier API's most used routes as one would write them in Go, over the same database.
// Two modes: `plain` counts each list with COUNT(*) and joins what it shows, `tuned` has counters and seeks a page's ids in
// a covering index first. Both keep prepared statements and connections.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	_ "github.com/go-sql-driver/mysql"
)

const (
	prefix      = "/api/v1/supplier"
	keyLifetime = 1500 * time.Millisecond // as long as supplierd believes a key
	connections = 16
)

type server struct {
	db         *sql.DB
	tuned      bool
	statements sync.Map // SQL -> *sql.Stmt
	keys       sync.Map // key -> knownKey
	change     int64
}

type knownKey struct {
	supplier int64
	until    time.Time
}

type failure struct {
	status        int
	Code, Message string
}

func (f failure) Error() string { return f.Message }

var (
	unauthorized = failure{401, "UNAUTHORIZED", "missing or invalid API key"}
	notFound     = failure{404, "NOT_FOUND", "resource not found"}
	invalid      = failure{422, "VALIDATION_ERROR", "invalid input data"}
)

func (s *server) prepare(text string) (*sql.Stmt, error) {
	if kept, ok := s.statements.Load(text); ok {
		return kept.(*sql.Stmt), nil
	}
	statement, err := s.db.Prepare(text)
	if err != nil {
		return nil, fmt.Errorf("%w in %s", err, text)
	}
	if kept, lost := s.statements.LoadOrStore(text, statement); lost {
		statement.Close()
		return kept.(*sql.Stmt), nil
	}
	return statement, nil
}

// each calls read for every row, which scans it.
func (s *server) each(ctx context.Context, text string, args []any, read func(scan func(...any) error) error) error {
	statement, err := s.prepare(text)
	if err != nil {
		return err
	}
	rows, err := statement.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := read(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (s *server) authenticate(r *http.Request) (int64, error) {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	now := time.Now()
	if known, ok := s.keys.Load(key); ok && now.Before(known.(knownKey).until) {
		return known.(knownKey).supplier, nil
	}
	hash := sha256.Sum256([]byte(key))
	var supplier int64
	err := s.each(r.Context(), `SELECT k.supplier_id FROM api_keys k JOIN suppliers s ON s.id = k.supplier_id
		WHERE k.key_id = SUBSTR(?, 4, 8) AND k.key_hash = ? AND k.revoked_at IS NULL AND s.status = 'verified'`,
		[]any{key, hash[:]}, func(scan func(...any) error) error { return scan(&supplier) })
	if err == nil && supplier == 0 {
		err = unauthorized
	}
	if err == nil {
		s.keys.Store(key, knownKey{supplier, now.Add(keyLifetime)})
	}
	return supplier, err
}

func (s *server) answer(r *http.Request) (any, error) {
	supplier, err := s.authenticate(r)
	if err != nil {
		return nil, err
	}
	path, id := strings.TrimPrefix(r.URL.Path, prefix), int64(0)
	if at := strings.LastIndexByte(path, '/'); at > 0 {
		if id, err = strconv.ParseInt(path[at+1:], 10, 64); err != nil {
			return nil, notFound
		}
		path = path[:at] + "/{id}"
	}
	switch r.Method + " " + path {
	case "GET /products":
		return s.listProducts(r, supplier)
	case "GET /products/{id}":
		return s.readProduct(r.Context(), supplier, id)
	case "GET /categories":
		return s.listCategories(r.Context())
	case "GET /orders":
		return s.listOrders(r, supplier)
	case "GET /orders/{id}":
		return s.readOrder(r.Context(), supplier, id)
	case "POST /stock":
		return s.setAll(r, supplier, "stock_qty")
	case "POST /prices":
		return s.setAll(r, supplier, "base_price")
	}
	return nil, notFound
}

type envelope struct {
	Success bool `json:"success"`
	Data    any  `json:"data,omitempty"`
	Error   any  `json:"error,omitempty"`
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	status, body := 200, envelope{Success: true}
	data, err := s.answer(r)
	body.Data = data
	if err != nil {
		found := failure{500, "SERVER_ERROR", "internal error"}
		if !errors.As(err, &found) && r.Context().Err() == nil {
			log.Print(r.URL, " ", err)
		}
		status, body = found.status, envelope{Error: map[string]string{"code": found.Code, "message": found.Message}}
	}
	buffer := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	buffer.Reset()
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		log.Fatal(err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(buffer.Len()))
	w.WriteHeader(status)
	w.Write(buffer.Bytes())
}

func main() {
	socket := flag.String("socket", "", "of the database")
	database := flag.String("database", "supplierd_bench", "supplierd's")
	mode := flag.String("mode", "plain", "plain or tuned")
	address := flag.String("address-file", "", "where to write the address that is listened on")
	flag.Parse()
	if *mode != "plain" && *mode != "tuned" {
		log.Fatalf("unknown mode '%s'", *mode)
	}
	db, err := sql.Open("mysql", "root@unix("+*socket+")/"+*database+"?clientFoundRows=true&collation=utf8mb4_unicode_520_ci")
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if err := db.Ping(); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*address, []byte("http://"+listener.Addr().String()), 0o600); err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.Serve(listener, &server{db: db, tuned: *mode == "tuned", change: time.Now().UnixMicro()}))
}
