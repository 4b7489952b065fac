// Separators, type hashes, digests and signatures as published or computed from the deployed contracts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainSeparator } from 'viem'
import { keccak256, stringToBytes } from 'viem/utils'
import { fromHex, toHex } from '../codec/bytes.ts'
import * as domains from './account-domains.ts'
import * as eip712 from './eip712.ts'
import {
  decodeSignedKeyRequestMetadata,
  encodeSignedKeyRequestMetadata,
} from './key-request-metadata.ts'
import { addressOfPrivateKey, recoverDigestSigner } from './secp256k1.ts'

const fill = (byte: number, length: number) => new Uint8Array(length).fill(byte)
const key = fill(0x11, 32)
const address = fromHex('0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A')!

const claimDomain = (chainId: number) =>
  eip712.verificationClaimTypedData(
    { fid: 1, address, blockHash: fill(0, 32), network: 1 },
    chainId,
  ).domain

const SEPARATORS: readonly [string, domains.TypedDataDomain, string][] = [
  [
    'IdRegistry',
    domains.ID_REGISTRY_DOMAIN,
    'e1b31bdbe66f9f4152b2cce1a6aae08b72ea880abb5cbc5e5ba67051c6b86ebb',
  ],
  [
    'IdGateway',
    domains.ID_GATEWAY_DOMAIN,
    '6e70fed4f2c753c975c3e4719374116df8165cf5ede9bf308f4d4d614f424b13',
  ],
  [
    'KeyRegistry',
    domains.KEY_REGISTRY_DOMAIN,
    'ff3ecb95b37f8812f0476e95e5aa93b8a55c60c43d2300e92854be3a1a380cf9',
  ],
  [
    'KeyGateway',
    domains.KEY_GATEWAY_DOMAIN,
    'f44c21da8a87a6bc7004b59246498e3412f2bca217e65b3799c183a7da1dbb61',
  ],
  [
    'SignedKeyRequestValidator',
    domains.SIGNED_KEY_REQUEST_DOMAIN,
    '5736ad5aa807d8996c35df1ea3226e6929d12494c449524da8f474b972284fd8',
  ],
  [
    'username proof',
    eip712.USERNAME_PROOF_DOMAIN,
    'e67d0175c3fc254dfac67cad15ad270621dcda3152f9bb0f6df5bb8f0ec84e71',
  ],
  [
    'verification',
    eip712.VERIFICATION_CLAIM_DOMAIN,
    '70802279e37e5d8365a9117ca448f717cfc762f7cbc2a8601045b9e280ba2028',
  ],
  [
    'verification on chain 1',
    claimDomain(1),
    '7f93f37eb57c302fc56f7ae5249b3fee85894932ff6722723406eebb51cb235d',
  ],
  [
    'verification on chain 10',
    claimDomain(10),
    '6b3bda257c2dbc3783150bf465d230b2c713dc0ccc5c304e7980e2c3e759f95c',
  ],
  [
    'verification on chain 5',
    claimDomain(5),
    'f8a477fc4a1c568b8a22929c20799f5878398b76175491b9712dbf754a7000d1',
  ],
  [
    'verification on chain 420',
    claimDomain(420),
    'ea5f9ace6560a006c2986aafd5987eb0c9f947223bfc26cb2d615f36ccc3f0db',
  ],
]

for (const [name, domain, separator] of SEPARATORS) {
  test(`the EIP-712 domain ${name} has the deployed separator`, () => {
    assert.equal(domainSeparator({ domain }), `0x${separator}`)
  })
}

const TYPE_HASHES: readonly [eip712.TypedData['types'], string][] = [
  [eip712.REGISTER_TYPES, 'da015cfdaa9f5cc1c418ff1c04a4cbd09fcecc68838ea2e0ec2bb42ce17da781'],
  [eip712.TRANSFER_TYPES, 'cdbe3d2a782931ab7e1b568857680f9812900b4702ab75d82ddfd270aaf595f5'],
  [
    eip712.TRANSFER_AND_CHANGE_RECOVERY_TYPES,
    '945a10ef569bd76eee6deb46dcc4541142d52149c7015b1cf0a68ead33382a9b',
  ],
  [
    eip712.CHANGE_RECOVERY_ADDRESS_TYPES,
    '73452d4f5155a3eca764048760f921bf1c1895c2982c18744c2cee4cf9bffc2b',
  ],
  [eip712.ADD_KEY_TYPES, '4b433bd06b4af9895086805d78f8acbe4b07223722f4feff3ee4393feb4fd754'],
  [eip712.REMOVE_KEY_TYPES, '32e091a0c6fc95c826855f4e40ebda4957b528bd84c9062416ceb903082dabe4'],
  [
    eip712.SIGNED_KEY_REQUEST_TYPES,
    '16be47f1f1f50a66a48db64eba3fd35c21439c23622e513aab5b902018aec438',
  ],
  [eip712.USERNAME_PROOF_TYPES, 'f4ee36a16c98e12a56b8ff57705cc73c0d6b2a380e9a10727e33386d3e3029b0'],
  [
    eip712.VERIFICATION_CLAIM_TYPES,
    '37a124457570b0237075d0c477282eaf88b1bb865fe66b41aacfa0259556af08',
  ],
]

for (const [types, hash] of TYPE_HASHES) {
  const [[name, members]] = Object.entries(types) as [[string, { name: string; type: string }[]]]
  test(`the EIP-712 struct ${name} has the deployed type hash`, () => {
    const text = `${name}(${members.map((member) => `${member.type} ${member.name}`).join(',')})`
    assert.equal(keccak256(stringToBytes(text)), `0x${hash}`)
  })
}

test('settings for brand and chain change the EIP-712 domains', () => {
  const { idGateway } = domains.accountDomains({ brand: 'Rookery', chainId: 31337 })
  assert.equal(idGateway.name, 'Rookery IdGateway')
  assert.equal(idGateway.chainId, 31337)
  assert.equal(eip712.usernameProofDomain({ brand: 'Rookery' }).name, 'Rookery name verification')
})

const claim = { fid: 12345, address, blockHash: fill(0x22, 32), network: 1 }
const claimSignature = fromHex(
  'd889d8213eabd5b70f67d56ab33b553465bb38af2df0d40c272cfd20a7d2754646e4a8c53abf08c1f472a19c3a06bf45051c46df179559b4256af7649fa75f891b',
)!

test('an address claim has the published digest, signature and signer', () => {
  const typed = eip712.verificationClaimTypedData(claim)
  assert.equal(toHex(addressOfPrivateKey(key)), toHex(address))
  assert.equal(
    toHex(eip712.typedDataDigest(typed)),
    '0xa20798809011cb7b2bd75f5204dded7355a65b9e8fcaabd5ac3f37fba459c448',
  )
  assert.deepEqual(eip712.signTypedData(typed, key), claimSignature)
  assert.deepEqual(eip712.recoverVerificationClaim(claim, claimSignature), address)
  assert.equal(
    toHex(eip712.typedDataDigest(eip712.verificationClaimTypedData(claim, 10))),
    '0xdc81798871fe9c655201c053b6771fe9d3c0be4e06c17258743783ac02589dcd',
  )
})

test('signer recovery accepts v as 0, 1, 27 or 28 and nothing else', () => {
  const withV = (v: number) => Uint8Array.of(...claimSignature.subarray(0, 64), v)
  assert.deepEqual(eip712.recoverVerificationClaim(claim, withV(0)), address)
  assert.notDeepEqual(eip712.recoverVerificationClaim(claim, withV(28)), address)
  assert.deepEqual(
    eip712.recoverVerificationClaim(claim, withV(1)),
    eip712.recoverVerificationClaim(claim, withV(28)),
  )
  for (const v of [2, 26, 29, 255]) {
    assert.equal(eip712.recoverVerificationClaim(claim, withV(v)), undefined)
  }
  for (const length of [0, 64, 66]) {
    assert.equal(eip712.recoverVerificationClaim(claim, fill(1, length)), undefined)
  }
  for (const byte of [0, 255]) {
    assert.equal(eip712.recoverVerificationClaim(claim, fill(byte, 65)), undefined)
  }
})

test('low s is required only where the contracts require it', () => {
  const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const s = BigInt(`0x${Buffer.from(claimSignature.subarray(32, 64)).toString('hex')}`)
  const high = Uint8Array.from(claimSignature)
  high.set(Buffer.from((ORDER - s).toString(16).padStart(64, '0'), 'hex'), 32)
  high[64] = 28
  const digest = eip712.typedDataDigest(eip712.verificationClaimTypedData(claim))
  assert.deepEqual(recoverDigestSigner(digest, high), address)
  assert.equal(recoverDigestSigner(digest, high, { lowS: true }), undefined)
  assert.deepEqual(recoverDigestSigner(digest, claimSignature, { lowS: true }), address)
})

test('a signed key request has the published digest, signature and metadata', () => {
  const request = { requestFid: 9152n, key: fill(0x33, 32), deadline: 1_700_000_000n }
  const typed = eip712.signedKeyRequestTypedData(request)
  assert.equal(
    toHex(eip712.typedDataDigest(typed)),
    '0x27970773e931f22d38a3d54bb587d2ce94ade3e582a844735d5782e9396fe337',
  )
  const signature = eip712.signTypedData(typed, key)
  assert.equal(
    toHex(signature),
    '0xf16bc6018e93f8b9fc4ef813931a176376b1c6dd4af383c13243f4cbf6eb3e1f72b178a524dfbf21bed77930213501480bb3fe6c886a86af412a71b943c000f21c',
  )
  const metadata = encodeSignedKeyRequestMetadata({
    requestFid: 9152n,
    requestSigner: address,
    signature,
    deadline: 1_700_000_000n,
  })
  assert.equal(metadata.length, 288)
  assert.deepEqual(decodeSignedKeyRequestMetadata(metadata), {
    requestFid: 9152n,
    requestSigner: address,
    signature,
    deadline: 1_700_000_000n,
  })
})

test('undecodable metadata give undefined', () => {
  for (const metadata of [fill(0, 0), fill(1, 31), fill(255, 288), fill(0, 32)]) {
    assert.equal(decodeSignedKeyRequestMetadata(metadata), undefined)
  }
})

test('a name claim has the published digest', () => {
  const typed = eip712.usernameProofTypedData({
    name: 'alice',
    timestamp: 1_700_000_000,
    owner: address,
  })
  assert.equal(
    toHex(eip712.typedDataDigest(typed)),
    '0xe53688a6bf4cd0e69e0079016b4822482e9de91b6f973002c24a72125ff232b0',
  )
})

// The contracts' vectors: an app (fid 9152) asks for a key, its user adds, removes, registers, transfers.
const app = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const owner = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const ownerKey = fromHex('0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a')!
const appKey = '0xd04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737'
const deadline = 1_893_456_000n
const appSignature = fromHex(
  '7b1a9a9ec44c7b0382a6836a6461366fea1c960fbeba6285cd48a242fcd0567d069c3a0000d25729cf5aa28651bb5dd4df5ef5a0f37e6bf63e904ea88be96edb1b',
)!
const metadata = encodeSignedKeyRequestMetadata({
  requestFid: 9152n,
  requestSigner: fromHex(app)!,
  signature: appSignature,
  deadline,
})

test('the key request of the contract vectors is signed by its app', () => {
  const typed = eip712.signedKeyRequestTypedData({
    requestFid: 9152,
    key: fromHex(appKey)!,
    deadline,
  })
  assert.equal(toHex(eip712.recoverTypedDataSigner(typed, appSignature)!), app.toLowerCase())
  assert.equal(
    keccak256(metadata),
    '0xb20c5ca0691eae74e5a74842c372527691a90e1d6537658267324ee5a8da34a8',
  )
})

const nonce = 0n
const CONTRACT_DIGESTS: readonly [eip712.TypedData, string][] = [
  [
    {
      domain: domains.KEY_GATEWAY_DOMAIN,
      types: eip712.ADD_KEY_TYPES,
      primaryType: 'Add',
      message: {
        owner,
        keyType: 1,
        key: appKey,
        metadataType: 1,
        metadata: toHex(metadata),
        nonce,
        deadline,
      },
    },
    '5de054acd99a7c11a4ce647cf4fdfc2efc2b57519dc73064e4245a0093626d95',
  ],
  [
    {
      domain: domains.KEY_REGISTRY_DOMAIN,
      types: eip712.REMOVE_KEY_TYPES,
      primaryType: 'Remove',
      message: { owner, key: appKey, nonce, deadline },
    },
    '40695a3d4b1911de27ac6ebe22c639814a0e44903bd341cc225274381c9adef8',
  ],
  [
    {
      domain: domains.ID_GATEWAY_DOMAIN,
      types: eip712.REGISTER_TYPES,
      primaryType: 'Register',
      message: { to: owner, recovery: app, nonce, deadline },
    },
    '833fedeb4faf7b96dab8fddaa2ad8d9918f5eae91c1500e4ceb0270860452be6',
  ],
  [
    {
      domain: domains.ID_REGISTRY_DOMAIN,
      types: eip712.TRANSFER_TYPES,
      primaryType: 'Transfer',
      message: { fid: 2n, to: app, nonce, deadline },
    },
    'fa82c539162ffa64505ed36fe3ed871d42d0815129e33b76cb7253cdaeda6eec',
  ],
]

for (const [typed, digest] of CONTRACT_DIGESTS) {
  test(`${typed.primaryType} has the digest of the contracts’ vectors`, () => {
    assert.equal(toHex(eip712.typedDataDigest(typed)), `0x${digest}`)
  })
}

test('the owner’s key addition has the published signature', () => {
  assert.equal(
    toHex(eip712.signTypedData(CONTRACT_DIGESTS[0]![0], ownerKey)),
    '0x555deb9613fbde620d2996cd4b1041c238540b4ae66d23f148b24a46225598663f4119c377ddc7865c567b0efc3e3b2e735c9698a76e22b227e65f507c07b6b41c',
  )
})
