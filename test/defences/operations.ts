// Every operation that a server declares, from the OpenAPI documents that its interfaces serve, and every method of
// its gRPC interface.

import type { App } from '../../src/app.ts'
import { describeRoutes } from '../../src/kernel/http/documents/openapi.ts'
import { HubService } from '../../src/kernel/protocol/wire/rpc_pb.js'

// biome-ignore lint/suspicious/noExplicitAny: documents are read by path
export type Schema = any

export type Parameter = {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required: boolean
  readonly schema: Schema
}

export type Operation = {
  readonly interface: string
  readonly url: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** The schema of a JSON body. */
  readonly json: Schema | undefined
  readonly takesOctets: boolean
  /** Whether the answer is a stream that does not end. */
  readonly isEndless: boolean
}

/** The operations of every interface of a server. */
export async function operationsOf(app: App): Promise<Operation[]> {
  const operations: Operation[] = []
  for (const [name, url] of Object.entries(app.urls)) {
    if (name === 'grpc' || !url.startsWith('http')) continue
    const document: Schema =
      name === 'web' ? frontDoorDocument(app) : await (await fetch(`${url}/openapi.json`)).json()
    for (const [path, methods] of Object.entries<Schema>(document.paths)) {
      for (const [method, spec] of Object.entries<Schema>(methods)) {
        const content = spec.requestBody?.content ?? {}
        const json = content['application/json']
        operations.push({
          interface: name,
          url,
          method: method.toUpperCase(),
          path,
          parameters: (spec.parameters ?? []).map((one: Schema) => resolved(one, document)),
          json: json && resolved(json.schema, document),
          takesOctets: content['application/octet-stream'] !== undefined,
          isEndless: spec.responses[200]?.content?.['text/event-stream'] !== undefined,
        })
      }
    }
  }
  return operations
}

/** Modules whose routes are those of the front door. */
const FRONT_DOOR = ['web', 'server face']

/** The front door serves no document of its own routes: pages, pictures, previews and feeds. */
function frontDoorDocument({ modules }: App): object {
  const specs = modules
    .filter(({ name }) => FRONT_DOOR.includes(name))
    .flatMap(({ routes }) => routes?.web ?? [])
    .map(({ spec }) => spec)
  const options = { title: '', description: '', version: '', authenticated: false }
  return describeRoutes(specs, { ...options, errors: 'plain' })
}

/** The methods of the gRPC interface, with the descriptors of their requests. */
export const grpcMethods = HubService.methods.map(({ name, methodKind, input }) => ({
  name,
  kind: methodKind,
  input,
}))

/** A schema with every reference replaced by what it refers to, as deep as requests go. */
function resolved(schema: Schema, document: Schema, depth = 0): Schema {
  if (depth > 24) return {}
  if (Array.isArray(schema)) return schema.map((one) => resolved(one, document, depth + 1))
  if (typeof schema !== 'object' || schema === null) return schema
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1)
    return resolved(document.components.schemas[name], document, depth + 1)
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, resolved(value, document, depth + 1)]),
  )
}
