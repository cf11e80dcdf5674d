"""How well-known functions of the kernel fail: with an error pointer, with NULL, with a zero netmem, with a number.

Only functions that have failed in one way ever since they exist stand here. Sources: the kernel-doc of each function.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Failure = Literal["ERR_PTR", "NULL", "netmem 0", "negative, 1 on wrap"]

_ERR_PTR_NAMES = (
    "dma_buf_get dma_buf_attach dma_buf_dynamic_attach dma_buf_map_attachment dma_buf_map_attachment_unlocked "
    "dma_buf_export dma_heap_add memdup_user memdup_array_user memdup_user_nul vmemdup_user strndup_user "
    "genl_sk_priv_get net_devmem_bind_dmabuf net_devmem_get_binding netdev_nl_get_dma_dev page_pool_create "
    "sock_alloc_file filp_open file_open_name dentry_open anon_inode_getfile anon_inode_getfile_fmode kthread_run "
    "kthread_create kthread_create_on_node shmem_file_setup shmem_read_mapping_page get_net_ns_by_fd "
    "get_net_ns_by_pid ip_route_output_flow ip_route_output_key devm_ioremap_resource "
    "devm_platform_ioremap_resource devm_clk_get devm_clk_get_enabled clk_get devm_reset_control_get "
    "devm_regulator_get regulator_get devm_gpiod_get device_create platform_device_register_simple "
    "platform_device_register_full drm_gem_prime_import iommufd_get_object iommufd_object_alloc"
)
ERR_PTR = frozenset(_ERR_PTR_NAMES.split())

_NULL_NAMES = (
    "gen_pool_create devm_kzalloc devm_kcalloc devm_kmalloc kmalloc kzalloc kcalloc kmalloc_array krealloc kmemdup "
    "kstrdup kstrndup kasprintf kvmalloc kvzalloc kvcalloc kvmalloc_array kmalloc_obj kzalloc_obj kmalloc_objs "
    "kzalloc_objs kvmalloc_obj kvzalloc_obj kvmalloc_objs kvzalloc_objs kmalloc_node kzalloc_node kvmalloc_node "
    "kmem_cache_alloc kmem_cache_zalloc vmalloc vzalloc vmap bitmap_alloc bitmap_zalloc alloc_page alloc_pages "
    "alloc_pages_node dma_alloc_coherent dma_pool_alloc alloc_skb netdev_alloc_skb napi_alloc_skb skb_clone "
    "skb_copy alloc_workqueue alloc_ordered_workqueue genlmsg_new nlmsg_new genlmsg_put genlmsg_iput nla_nest_start "
    "nla_nest_start_noflag dev_get_by_index dev_get_by_name netdev_get_by_index netdev_get_by_index_lock "
    "net_devmem_lookup_dmabuf net_devmem_alloc_dmabuf net_devmem_get_niov_at netdev_queue_get_dma_dev "
    "netmem_to_page skb_frag_page page_pool_alloc_pages page_pool_dev_alloc_pages fget ioremap devm_ioremap "
    "memremap of_find_node_by_name of_get_child_by_name sync_file_create dma_fence_array_create"
)
NULL = frozenset(_NULL_NAMES.split())

NEVER_NULL = (
    *("dma_buf_get", "dma_buf_attach", "dma_buf_dynamic_attach", "dma_buf_map_attachment", "dma_buf_export"),
    *("dma_buf_map_attachment_unlocked", "memdup_user", "memdup_array_user", "memdup_user_nul", "vmemdup_user"),
    *("strndup_user", "genl_sk_priv_get", "net_devmem_bind_dmabuf", "net_devmem_get_binding", "page_pool_create"),
    *("filp_open", "anon_inode_getfile", "kthread_run", "kthread_create", "shmem_file_setup"),
    *("shmem_read_mapping_page", "get_net_ns_by_fd", "get_net_ns_by_pid", "devm_ioremap_resource"),
)
"""Of the functions that give error pointers, those that give NULL in no configuration."""

ERRNO = frozenset(
    {
        *("dma_map_sgtable", "sg_alloc_table_from_pages", "sg_alloc_table_from_pages_segment", "sg_alloc_table"),
        *("xa_alloc", "xa_alloc_bh", "xa_alloc_irq", "xa_alloc_cyclic", "xa_alloc_cyclic_bh", "xa_insert"),
        *("gen_pool_add_owner", "gen_pool_add_virt", "gen_pool_add", "percpu_ref_init", "dma_buf_pin"),
        *("dma_buf_begin_cpu_access", "dma_buf_vmap", "dma_buf_vmap_unlocked", "dma_buf_mmap"),
        *("dma_resv_reserve_fences", "dma_resv_lock_interruptible", "netif_mp_open_rxq", "netdev_rx_queue_restart"),
        *("sock_cmsg_send", "netdev_queue_config_validate"),
    }
)
"""0 or more on success, a negative errno on failure; the result has to be looked at."""

TRY_GET = frozenset(
    {
        *("percpu_ref_tryget", "percpu_ref_tryget_live", "percpu_ref_tryget_many", "refcount_inc_not_zero"),
        *("kref_get_unless_zero", "atomic_inc_not_zero", "get_page_unless_zero", "try_module_get"),
    }
)
"""True when a reference was taken."""

_NETMEM_NAMES = (
    "page_pool_alloc_netmems page_pool_alloc_netmem page_pool_dev_alloc_netmems page_pool_dev_alloc_netmem "
    "page_pool_alloc_frag_netmem alloc_netmems mp_dmabuf_devmem_alloc_netmems"
)
NETMEM = frozenset(_NETMEM_NAMES.split())

CYCLIC = frozenset({"xa_alloc_cyclic", "xa_alloc_cyclic_bh", "xa_alloc_cyclic_irq"})
"""0 on success, 1 on success after the ids wrapped, negative on failure (include/linux/xarray.h)."""

FAILURES: Mapping[str, Failure] = {
    **dict.fromkeys(sorted(ERR_PTR), "ERR_PTR"),
    **dict.fromkeys(sorted(NULL), "NULL"),
    **dict.fromkeys(sorted(NETMEM), "netmem 0"),
    **dict.fromkeys(sorted(CYCLIC), "negative, 1 on wrap"),
}
