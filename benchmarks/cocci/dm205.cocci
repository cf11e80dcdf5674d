// DM205: an index becomes an address or an offset only after the shift that may have lost its top.
virtual report

@shift@
typedef u64, u32, dma_addr_t, phys_addr_t, loff_t;
{int, unsigned int, u32} index;
{unsigned long, unsigned long long, u64, dma_addr_t, phys_addr_t, loff_t, size_t} wide;
expression niov, s;
position p;
@@
(
 (dma_addr_t)(index <<@p s)
|
 (u64)(index <<@p s)
|
 (unsigned long)(index <<@p s)
|
 (dma_addr_t)(net_iov_idx(niov) <<@p s)
|
 (u64)(net_iov_idx(niov) <<@p s)
|
 (unsigned long)(net_iov_idx(niov) <<@p s)
|
 wide + (index <<@p s)
|
 wide + (net_iov_idx(niov) <<@p s)
|
 wide = index <<@p s
|
 wide = net_iov_idx(niov) <<@p s
)

@product@
{int, unsigned int, u32} index;
{unsigned long, unsigned long long, u64, dma_addr_t, phys_addr_t, loff_t, size_t} wide;
position p;
@@
 wide + index *@p \(UINT_MAX\|U32_MAX\)

@script:python depends on report@
p << shift.p;
s << shift.s;
@@
if s == "PAGE_SHIFT" or "shift" in s:
    print(f"DM205 {p[0].file}:{p[0].line}")

@script:python depends on report@
p << product.p;
@@
print(f"DM205 {p[0].file}:{p[0].line}")
