-- The shop's own database. Changes to these tables reach the log by change data capture, and in no other way.
--
-- Times are without a zone and in UTC: so they are numbers in the log, as all its times are.

CREATE TABLE users (
    user_id text PRIMARY KEY,
    name    text NOT NULL,
    country text NOT NULL,
    plan    text NOT NULL CHECK (plan IN ('free', 'plus', 'pro'))
);

CREATE TABLE products (
    product_id text PRIMARY KEY,
    title      text NOT NULL,
    category   text NOT NULL,
    price      numeric(12, 2) NOT NULL CHECK (price >= 0),
    supplied   bigint NOT NULL CHECK (supplied >= 0)  -- pieces bought in, ever; what is left is a view
);

-- Who has left the shop keeps the orders: nothing here refers to users by a constraint.
CREATE TABLE orders (
    order_id   text PRIMARY KEY,
    user_id    text NOT NULL,
    status     text NOT NULL CHECK (status IN ('placed', 'paid', 'cancelled')),
    ordered_at timestamp(3) NOT NULL,
    updated_at timestamp(3) NOT NULL  -- moves whenever the order or one of its items does
);
CREATE INDEX ON orders (user_id);

CREATE TABLE order_items (
    item_id    text PRIMARY KEY,
    order_id   text NOT NULL REFERENCES orders ON DELETE CASCADE,
    product_id text NOT NULL REFERENCES products,
    quantity   bigint NOT NULL CHECK (quantity > 0),
    price      numeric(12, 2) NOT NULL  -- of one piece, when it was ordered
);
CREATE INDEX ON order_items (order_id);

CREATE TABLE posts (
    post_id   text PRIMARY KEY,
    user_id   text NOT NULL,
    body      text NOT NULL,
    posted_at timestamp(3) NOT NULL,
    edited_at timestamp(3)
);
-- A long text is stored beside its row, and a change that leaves it alone would not tell it.
ALTER TABLE posts REPLICA IDENTITY FULL;

CREATE TABLE follows (
    follow_id   text PRIMARY KEY,
    follower_id text NOT NULL,
    followed_id text NOT NULL,
    UNIQUE (follower_id, followed_id)
);

CREATE TABLE search_queries (
    query_id      text PRIMARY KEY,
    user_id       text NOT NULL,
    words         text,
    category      text,
    price_at_most double precision
);

-- One row that moves all the time, so that a quiet shop does not hold the server's write-ahead log back.
CREATE TABLE heartbeat (
    only_one  boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    beaten_at timestamp(3)
);
INSERT INTO heartbeat DEFAULT VALUES;

-- Where one asks the capture for a snapshot of a table that is already followed.
CREATE TABLE signals (
    id   varchar(42) PRIMARY KEY,
    type varchar(32) NOT NULL,
    data text
);

CREATE PUBLICATION shop FOR TABLE
    users, products, orders, order_items, posts, follows, search_queries, heartbeat, signals;

GRANT USAGE ON SCHEMA public TO capture;
GRANT SELECT ON users, products, orders, order_items, posts, follows, search_queries TO capture;
GRANT SELECT, UPDATE ON heartbeat TO capture;
GRANT SELECT, INSERT, DELETE ON signals TO capture;
