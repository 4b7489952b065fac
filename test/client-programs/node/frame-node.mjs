// @farcaster/frame-node signs data with an app key and verifies the key at a hub.

import {
  createJsonFarcasterSignature,
  createVerifyAppKeyWithHub,
  verifyJsonFarcasterSignature,
} from '@farcaster/frame-node'

const world = JSON.parse(process.argv[2])
const verifyAppKey = createVerifyAppKeyWithHub(world.hub)
const signed = (seed) =>
  createJsonFarcasterSignature({
    fid: world.fid,
    type: 'app_key',
    privateKey: Buffer.from(seed.slice(2), 'hex'),
    payload: Buffer.from('{"event":"frame_added"}'),
  })
const { fid, appFid } = await verifyJsonFarcasterSignature(signed(world.seed), verifyAppKey)
const refused = await verifyJsonFarcasterSignature(signed(world.otherSeed), verifyAppKey).catch(
  (error) => error.name,
)
console.log(JSON.stringify({ fid, appFid, refused }))
