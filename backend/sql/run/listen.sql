-- Subscribes to the run's channel.
LISTEN {{channel}}
