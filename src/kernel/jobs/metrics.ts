import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { JobOutcome } from './job.ts'

export type JobMetrics = {
  ran(job: string, outcome: JobOutcome, seconds: number): void
}

export function createJobMetrics(registry: Registry, isLeader: () => boolean): JobMetrics {
  const registers = [registry]
  const runs = new Counter({
    name: 'rookery_job_runs_total',
    help: 'Runs of background jobs by outcome: succeeded, failed (repeated after a backoff), aborted',
    labelNames: ['job', 'outcome'],
    registers,
  })
  const duration = new Histogram({
    name: 'rookery_job_duration_seconds',
    help: 'Time that runs of background jobs took',
    labelNames: ['job'],
    buckets: [0.001, 0.01, 0.1, 1, 10, 60, 600],
    registers,
  })
  const lastSuccess = new Gauge({
    name: 'rookery_job_last_success_timestamp_seconds',
    help: 'When a background job last succeeded in this process, in Unix seconds',
    labelNames: ['job'],
    registers,
  })
  new Gauge({
    name: 'rookery_job_leader',
    help: '1 while this process holds the leader lease, which jobs of scope leader need',
    registers,
    collect() {
      this.set(isLeader() ? 1 : 0)
    },
  })
  return {
    ran(job, outcome, seconds) {
      runs.inc({ job, outcome })
      duration.observe({ job }, seconds)
      if (outcome === 'succeeded') lastSuccess.setToCurrentTime({ job })
    },
  }
}
