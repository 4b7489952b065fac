// Tells tools such as grpcurl which services there are, and what their messages hold (gRPC Server Reflection Protocol).

import {
  create,
  createRegistry,
  type DescFile,
  type MessageInitShape,
  toBinary,
} from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import {
  file_reflection,
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from '../protocol/wire/reflection_pb.js'
import { file_rpc } from '../protocol/wire/rpc_pb.js'
import { answering } from './duplex.ts'
import { type HubMethod, LOOK_UP } from './hub-method.ts'
import { decodeRequest } from './requests.ts'

const SERVED = [file_rpc, file_reflection]
const FILES = new Map(SERVED.flatMap(withImports).map((file) => [file.proto.name, file]))
const REGISTRY = createRegistry(...FILES.values())
const V1 = 'grpc.reflection.v1.ServerReflection'
const V1_ALPHA = 'grpc.reflection.v1alpha.ServerReflection'

const NOT_FOUND = 5
const UNIMPLEMENTED = 12

type Answer = MessageInitShape<typeof ServerReflectionResponseSchema>['messageResponse']

/** The methods of reflection by path, for a server that has the methods of these paths. */
export function reflectionMethods(paths: readonly string[]): Readonly<Record<string, HubMethod>> {
  const named = new Set(paths.map((path) => path.split('/')[1]!))
  const services = [...named, V1].filter((name) => REGISTRY.getService(name))
  const reflection: HubMethod = {
    cost: LOOK_UP,
    of: ({ stopping }) => ({
      kind: 'duplex',
      handle: answering(stopping, async (bytes) => {
        const request = decodeRequest(ServerReflectionRequestSchema, bytes)
        const messageResponse = answerTo(request.messageRequest, services)
        const answer = { validHost: request.host, originalRequest: request, messageResponse }
        return toBinary(
          ServerReflectionResponseSchema,
          create(ServerReflectionResponseSchema, answer),
        )
      }),
    }),
  }
  // Both versions of the protocol have the same messages.
  return Object.fromEntries(
    [V1, V1_ALPHA].map((name) => [`/${name}/ServerReflectionInfo`, reflection]),
  )
}

function answerTo(
  asked: ServerReflectionRequest['messageRequest'],
  services: readonly string[],
): NonNullable<Answer> {
  switch (asked.case) {
    case 'listServices': {
      const service = services.map((name) => ({ name }))
      return { case: 'listServicesResponse', value: { service } }
    }
    case 'fileByFilename':
      return fileAnswer(FILES.get(asked.value), `no file is named ${asked.value}`)
    case 'fileContainingSymbol':
      return fileAnswer(fileOf(asked.value), `${asked.value} is no symbol of this server`)
    case 'allExtensionNumbersOfType':
      return REGISTRY.getMessage(asked.value)
        ? { case: 'allExtensionNumbersResponse', value: { baseTypeName: asked.value } }
        : failure(NOT_FOUND, `${asked.value} is no message of this server`)
    case 'fileContainingExtension':
      return failure(NOT_FOUND, 'the messages of this server have no extensions')
    default:
      return failure(UNIMPLEMENTED, 'this kind of request is not known')
  }
}

/** The file with all that it imports: readers need not ask for each. */
function fileAnswer(file: DescFile | undefined, otherwise: string): NonNullable<Answer> {
  if (!file) return failure(NOT_FOUND, otherwise)
  const fileDescriptorProto = withImports(file).map(({ proto }) =>
    toBinary(FileDescriptorProtoSchema, proto),
  )
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } }
}

const failure = (errorCode: number, errorMessage: string): NonNullable<Answer> => ({
  case: 'errorResponse',
  value: { errorCode, errorMessage },
})

/** The file of a service, message or enum, or of one of their methods, fields or values. */
function fileOf(symbol: string): DescFile | undefined {
  const found = REGISTRY.get(symbol) ?? REGISTRY.get(symbol.slice(0, symbol.lastIndexOf('.')))
  return found?.file
}

/** The file first, then what it imports, each once. */
function withImports(file: DescFile): DescFile[] {
  const found = new Set([file])
  for (const one of found) for (const imported of one.dependencies) found.add(imported)
  return [...found]
}
