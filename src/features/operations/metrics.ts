import { Gauge, type Registry } from 'prom-client'
import { memoryLimit } from '../../kernel/base/memory-limit.ts'
import { VERSION } from '../../kernel/base/version.ts'
import { gaugeRegistrar } from '../../kernel/http/metrics.ts'
import type { Storage } from '../../kernel/storage/storage.ts'

export function registerBuildInfo(registry: Registry): void {
  new Gauge({
    name: 'rookery_build_info',
    help: 'Always 1; the version of the program is a label',
    labelNames: ['version'],
    registers: [registry],
    collect() {
      this.set({ version: VERSION }, 1)
    },
  })
}

export function registerMemoryLimit(registry: Registry): void {
  new Gauge({
    name: 'rookery_memory_limit_bytes',
    help: 'Memory that the process may use: the limit of its control group (MemoryHigh and MemoryMax in systemd, of a container), or that of the machine',
    registers: [registry],
    collect() {
      this.set(memoryLimit())
    },
  })
}

export function registerDiskMetrics(registry: Registry, diskUse: Storage['diskUse']): void {
  const gauge = gaugeRegistrar([registry])
  gauge(
    'rookery_disk_used_bytes',
    'Bytes that count against the disk quota: the data without what deleted rows have left',
    async () => (await diskUse()).usedBytes,
  )
  gauge(
    'rookery_disk_quota_bytes',
    'The disk quota; 0: there is none',
    async () => (await diskUse()).quotaBytes ?? 0,
  )
  gauge(
    'rookery_disk_quota_ratio',
    'Share of the disk quota that is used: uploads are refused from 0.9 on, messages from 1 on',
    async () => (await diskUse()).share,
  )
}

export function registerReplicaMetrics(registry: Registry, replicas: Storage['replicas']): void {
  new Gauge({
    name: 'rookery_database_replica_used',
    help: '1 while a host of DATABASE_READ_URL is read from, 0 while it is left alone after a failure',
    labelNames: ['host'],
    registers: [registry],
    collect() {
      for (const { host, isUsed } of replicas()) this.set({ host }, isUsed ? 1 : 0)
    },
  })
  new Gauge({
    name: 'rookery_database_replica_lag_seconds',
    help: 'Age of the newest transaction that a host of DATABASE_READ_URL had applied when it was last asked',
    labelNames: ['host'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { host, lagSeconds } of replicas()) {
        if (lagSeconds !== undefined) this.set({ host }, lagSeconds)
      }
    },
  })
}
