// What tools learn of the gRPC interface by asking it: a real one lists the services and calls a method without a file.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import {
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from '../src/kernel/protocol/wire/reflection_pb.js'
import { rawClient } from './grpc-support.ts'
import { inWorld } from './hub-support.ts'
import { ROOT } from './program.ts'
import { createWorld } from './world.ts'

const UNIMPLEMENTED = 12

type Asked = MessageInitShape<typeof ServerReflectionRequestSchema>['messageRequest']

inWorld('gRPC reflection', (world) => {
  const messageOf = async (answer: Response) =>
    ((await answer.json()) as { message: string }).message
  const address = () => world().app.urls.grpc

  test('buf finds the services and calls a method by reflection alone', async () => {
    const run = async (...args: string[]) => {
      const { stdout } = await promisify(execFile)(join(ROOT, 'node_modules/.bin/buf'), [
        'curl',
        '--http2-prior-knowledge',
        '--protocol=grpc',
        ...args,
      ])
      return stdout
    }
    const url = `http://${address()}`
    assert.deepEqual((await run('--list-services', url)).trim().split('\n').sort(), [
      'AdminService',
      'HubService',
      'grpc.reflection.v1.ServerReflection',
    ])
    const { fid } = await world().account(5)
    const answer = await run(
      '-d',
      JSON.stringify({ fid }),
      `${url}/HubService/GetOnChainSignersByFid`,
    )
    assert.equal(JSON.parse(answer).events[0].fid, String(fid))
  })

  test('both versions answer one request after the other, and say what they do not have', async () => {
    const client = rawClient(address())
    for (const version of ['v1', 'v1alpha']) {
      const stream = client.duplex(
        `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      )
      const answers = stream[Symbol.asyncIterator]()
      const ask = async (messageRequest: Asked) => {
        const request = create(ServerReflectionRequestSchema, { host: 'h', messageRequest })
        stream.write(toBinary(ServerReflectionRequestSchema, request))
        const { value } = await answers.next()
        const response = fromBinary(ServerReflectionResponseSchema, value)
        assert.deepEqual(response.originalRequest, request)
        return response.messageResponse
      }
      const filesOf = async (asked: Asked) => {
        const answer = await ask(asked)
        assert.equal(answer.case, 'fileDescriptorResponse', JSON.stringify(answer.value))
        const { fileDescriptorProto } = answer.value as { fileDescriptorProto: Uint8Array[] }
        return fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name)
      }
      const all = ['rpc.proto', 'hub_event.proto', 'message.proto', 'onchain_event.proto']
      for (const symbol of ['HubService', 'HubService.GetCast', 'FidRequest', 'FidRequest.fid']) {
        const files = await filesOf({ case: 'fileContainingSymbol', value: symbol })
        assert.deepEqual([files[0], files.sort()], ['rpc.proto', all.sort()], symbol)
      }
      assert.deepEqual(await filesOf({ case: 'fileByFilename', value: 'message.proto' }), [
        'message.proto',
      ])
      const refused = await ask({ case: 'fileContainingSymbol', value: 'NoSuchService' })
      assert.deepEqual(
        [refused.case, refused.value],
        [
          'errorResponse',
          {
            ...(refused.value as object),
            errorCode: 5,
            errorMessage: 'NoSuchService is no symbol of this server',
          },
        ],
      )
      stream.end()
      assert.equal((await answers.next()).done, true)
    }
    client.close()
  })

  test('the front door has the files that other languages make their clients from', async () => {
    const at = (path: string) => fetch(`${world().app.urls.web}${path}`)
    const names = (await (await at('/docs/proto')).text()).trim().split('\n')
    assert.ok(names.includes('rpc.proto') && names.includes('message.proto'))
    for (const name of names) {
      const file = await at(`/docs/proto/${name}`)
      assert.match(file.headers.get('content-type')!, /^text\/plain/)
      for (const [, imported] of (await file.text()).matchAll(/^import "(.+)";/gm)) {
        assert.ok(names.includes(imported!), `${name} imports ${imported}`)
      }
    }
    const none = await at('/docs/proto/no.proto')
    assert.equal(none.status, 404)
    assert.match(await messageOf(none), /no such file: \/docs\/proto has .*rpc\.proto/)
  })

  test('a path of an interface at the front door is told where the interfaces are', async () => {
    const answer = await fetch(`${world().app.urls.web}/v1/info`)
    assert.match(await messageOf(answer), /no route \/v1\/info; the interfaces are below \/hub/)
  })
})

test('a production server answers no reflection', async (t) => {
  const world = await createWorld({ config: { mode: 'production' } })
  t.after(() => world.close())
  const client = rawClient(world.app.urls.grpc)
  t.after(() => client.close())
  const answer = await client.call(
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    new Uint8Array(),
  )
  assert.equal(answer.status, UNIMPLEMENTED)
})
