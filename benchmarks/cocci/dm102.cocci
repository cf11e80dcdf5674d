// DM102: what belongs to the pages of an sg entry is read from an entry that is mapped for a device.
virtual report

@entry@
iterator name for_each_sgtable_dma_sg, for_each_sg;
expression table, i;
identifier sg;
position p;
@@
(
 for_each_sgtable_dma_sg(table, sg, i) {
  <+...
(
  sg->length@p
|
  sg->offset@p
)
  ...+>
 }
|
 for_each_sg(table->sgl, sg, table->nents, i) {
  <+...
(
  sg->length@p
|
  sg->offset@p
)
  ...+>
 }
)

@script:python depends on report@
p << entry.p;
@@
print(f"DM102 {p[0].file}:{p[0].line}")
