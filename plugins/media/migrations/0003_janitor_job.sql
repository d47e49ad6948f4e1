-- Which server looks after the store, the host's table of jobs says.
DROP TABLE IF EXISTS media_turns;
