import { Counter, Gauge, type Registry } from 'prom-client'
import { FAULT_KINDS, type FaultKind } from './fault.ts'
import type { SourceName } from './source.ts'

/**
 * Metrics of the followers. URLs are named by their place in the setting, because they may contain API keys.
 */
export type ChainMetrics = {
  asked(source: SourceName, url: number, method: string): void
  failed(source: SourceName, url: number, kind: FaultKind): void
  merged(source: SourceName, events: number): void
  /** Logs that could not be decoded. */
  skipped(source: SourceName, logs: number): void
  rolledBack(source: SourceName, events: number): void
}

/** Values that are read when metrics are requested. */
type ChainGauges = {
  readonly source: SourceName
  readonly urls: number
  readonly status: () => {
    readonly headBlock: number | undefined
    readonly followedBlock: number | undefined
    readonly blocksBehind: number | undefined
    readonly secondsBehind: number | undefined
    readonly stopped: string | undefined
  }
}

export function createChainMetrics(
  registry: Registry,
  gauges: readonly ChainGauges[],
): ChainMetrics {
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames: ['source', ...labelNames], registers: [registry] })
  const asked = counter('rookery_chain_requests_total', 'Questions to nodes', ['url', 'method'])
  const failed = counter(
    'rookery_chain_failures_total',
    'Answers that could not be used, by the place of the URL in its setting and by kind',
    ['url', 'kind'],
  )
  const merged = counter('rookery_chain_events_total', 'On-chain events that were new', [])
  const skipped = counter('rookery_chain_skipped_logs_total', 'Logs that mean nothing here', [])
  const rolledBack = counter(
    'rookery_chain_rolled_back_events_total',
    'Events rolled back by reorgs: their blocks are no longer on the chain',
    [],
  )
  for (const { source, urls } of gauges) {
    // Initialised to 0, so that an alert sees the first failure as an increase.
    for (let url = 0; url < urls; url++)
      for (const kind of FAULT_KINDS) failed.inc({ source, url, kind }, 0)
    for (const counted of [merged, skipped, rolledBack]) counted.inc({ source }, 0)
  }
  gauge('rookery_chain_head_block', 'Newest block of the chain', (of) => of.headBlock)
  gauge('rookery_chain_followed_block', 'Block up to which it was read', (of) => of.followedBlock)
  gauge('rookery_chain_lag_blocks', 'Confirmed blocks not read yet', (of) => of.blocksBehind)
  gauge('rookery_chain_lag_seconds', 'Age of the newest block read', (of) => of.secondsBehind)
  gauge('rookery_chain_stopped', '1 when following has stopped for good', (of) =>
    of.stopped === undefined ? 0 : 1,
  )

  function gauge(
    name: string,
    help: string,
    read: (status: ReturnType<ChainGauges['status']>) => number | undefined,
  ): void {
    new Gauge({
      name,
      help,
      labelNames: ['source'],
      registers: [registry],
      collect() {
        for (const { source, status } of gauges) {
          const value = read(status())
          if (value !== undefined) this.set({ source }, value)
        }
      },
    })
  }

  return {
    asked: (source, url, method) => asked.inc({ source, url, method }),
    failed: (source, url, kind) => failed.inc({ source, url, kind }),
    merged: (source, events) => merged.inc({ source }, events),
    skipped: (source, logs) => skipped.inc({ source }, logs),
    rolledBack: (source, events) => rolledBack.inc({ source }, events),
  }
}
