// A load generator as a process of its own, so that several serving threads have enough to do.

import { get, load } from './client.ts'

export type LoadOrder = {
  readonly url: string
  readonly paths: readonly string[]
  readonly connections: number
  /** As fast as they are answered unless it is given. */
  readonly pace?: { readonly perSecond: number } | undefined
}

process.on('message', async ({ url, paths, connections, pace }: LoadOrder) => {
  process.send?.(
    await load(
      url,
      paths.map((path) => get(path)),
      connections,
      pace,
    ),
  )
})
process.on('disconnect', () => process.exit(0))
