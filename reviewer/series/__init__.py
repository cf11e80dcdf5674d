"""From mails to series: threads, versions, lineages, roles, and the opened bodies with the tags given on the list."""
