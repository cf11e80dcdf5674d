"""What nobody has to act upon: findings that a baseline file or steering lines of the discussion accept."""
