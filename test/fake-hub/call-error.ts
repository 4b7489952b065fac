import * as grpc from '@grpc/grpc-js'

/** How a call of a scripted hub fails. */
export class CallError extends Error {
  readonly code: number
  readonly details: string
  readonly metadata: grpc.Metadata

  constructor(code: number, details: string, trailers: Readonly<Record<string, string>> = {}) {
    super(details)
    this.code = code
    this.details = details
    this.metadata = new grpc.Metadata()
    for (const [name, value] of Object.entries(trailers)) this.metadata.set(name, value)
  }
}
