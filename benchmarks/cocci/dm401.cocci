// DM401: the pages of a table that dma_buf_map_attachment() gave are touched: in the function that maps it, in any
// function of the file by the member that it is kept in, or in the branch for dma-bufs.
virtual report

@variable@
identifier table;
type T;
@@
(
 table = \(dma_buf_map_attachment\|dma_buf_map_attachment_unlocked\)(...);
|
 T table = \(dma_buf_map_attachment\|dma_buf_map_attachment_unlocked\)(...);
)

@inside@
identifier variable.table;
expression x, piter, first;
identifier sg;
type T;
identifier entry =~ "^sg_(page|virt|phys|set_page|set_buf|set_folio|assign_page)$";
identifier whole =~ "^(sg_p?copy_(to|from)_buffer|sg_zero_buffer)$";
identifier second =~ "^(dma_sync_sgtable_for_(cpu|device)|dma_map_sgtable|dma_unmap_sgtable)$";
iterator name for_each_sgtable_dma_sg, for_each_sgtable_sg, for_each_sgtable_page;
statement S;
position p;
@@
(
 table = \(dma_buf_map_attachment\|dma_buf_map_attachment_unlocked\)(...);
|
 T table = \(dma_buf_map_attachment\|dma_buf_map_attachment_unlocked\)(...);
)
 ... when any
(
 for_each_sgtable_dma_sg(table, sg, x) {
  <+... entry@p(sg, ...) ...+>
 }
|
 for_each_sgtable_sg(table, sg, x) {
  <+... entry@p(sg, ...) ...+>
 }
|
 for_each_sgtable_page@p(table, piter, x) S
|
 whole@p(table->sgl, ...);
|
 sg_miter_start@p(first, table->sgl, ...);
|
 second@p(first, table, ...);
)

@stored@
identifier table, kept;
expression owner;
type T;
@@
(
 owner->kept = \(dma_buf_map_attachment\|dma_buf_map_attachment_unlocked\)(...);
|
 table = \(dma_buf_map_attachment\|dma_buf_map_attachment_unlocked\)(...);
 ... when any
 owner->kept = table;
|
 T table = \(dma_buf_map_attachment\|dma_buf_map_attachment_unlocked\)(...);
 ... when any
 owner->kept = table;
)

@member@
expression owner, x, piter, first;
identifier stored.kept, sg;
identifier entry =~ "^sg_(page|virt|phys|set_page|set_buf|set_folio|assign_page)$";
identifier whole =~ "^(sg_p?copy_(to|from)_buffer|sg_zero_buffer)$";
identifier second =~ "^(dma_sync_sgtable_for_(cpu|device)|dma_map_sgtable|dma_unmap_sgtable)$";
iterator name for_each_sgtable_dma_sg, for_each_sgtable_sg, for_each_sgtable_page;
statement S;
position p;
@@
(
 for_each_sgtable_dma_sg(owner->kept, sg, x) {
  <+... entry@p(sg, ...) ...+>
 }
|
 for_each_sgtable_sg(owner->kept, sg, x) {
  <+... entry@p(sg, ...) ...+>
 }
|
 for_each_sgtable_page@p(owner->kept, piter, x) S
|
 whole@p(owner->kept->sgl, ...);
|
 sg_miter_start@p(first, owner->kept->sgl, ...);
|
 second@p(first, owner->kept, ...);
)

@branch@
expression owner;
identifier kept;
identifier entry =~ "^sg_(page|virt|phys)$";
position p;
@@
 if (owner->is_dmabuf) {
  <+... entry@p(owner->kept->sgl) ...+>
 }

@script:python depends on report@
p << inside.p;
@@
print(f"DM401 {p[0].file}:{p[0].line}")

@script:python depends on report@
p << member.p;
@@
print(f"DM401 {p[0].file}:{p[0].line}")

@script:python depends on report@
p << branch.p;
@@
print(f"DM401 {p[0].file}:{p[0].line}")
