import { fileURLToPath } from 'node:url'
import Type from 'typebox'
import { fileAnswer, readStaticFiles } from '../../kernel/http/files/static-files.ts'
import { anyTextParam, described } from '../../kernel/http/input/params.ts'
import { content, type Route, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'

// The .proto files of the hub, from which other languages make their gRPC clients.

const DIRECTORY = fileURLToPath(new URL('../../../proto', import.meta.url))
const BELOW = '/docs/proto'
const HEADERS = { 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
const FILE = {
  callers: 'anyone',
  tags: [{ name: 'Protobuf', description: 'What gRPC clients are made from.' }],
  reply: Type.String(),
  contentType: 'text/plain',
  cost: 'lookup',
} as const

export function protoRoutes(): Route[] {
  const files = readStaticFiles(DIRECTORY)
  const names = [...files.keys()].sort()
  return [
    route(`GET ${BELOW}`, {
      ...FILE,
      summary: 'The names of the .proto files, a line each',
      errors: [],
      handler: () =>
        content(Buffer.from(`${names.join('\n')}\n`), 'text/plain; charset=utf-8', {
          headers: HEADERS,
        }),
    }),
    route(`GET ${BELOW}/:file`, {
      ...FILE,
      summary: 'A .proto file',
      params: { file: described(anyTextParam, 'Its name, such as rpc.proto.') },
      errors: ['not_found'],
      handler: (_, { params, request }) => {
        const file = files.get(params.file)
        if (!file)
          throw new Rejection('not_found', `no such file: ${BELOW} has ${names.join(', ')}`)
        return fileAnswer(file, request, { ...HEADERS, etag: file.etag })
      },
    }),
  ]
}
