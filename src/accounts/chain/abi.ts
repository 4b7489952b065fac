import { parseAbi } from 'viem/utils'

// The calls of the account contracts that we make, and the words in which they refuse.

export const CALLS_ABI = parseAbi([
  // IdGateway
  'function registerFor(address to, address recovery, uint256 deadline, bytes sig, uint256 extraStorage) payable',
  // IdRegistry
  'function transferFor(address from, address to, uint256 fromDeadline, bytes fromSig, uint256 toDeadline, bytes toSig)',
  'function transferAndChangeRecoveryFor(address from, address to, address recovery, uint256 fromDeadline, bytes fromSig, uint256 toDeadline, bytes toSig)',
  'function changeRecoveryAddressFor(address owner, address recovery, uint256 deadline, bytes sig)',
  'function recoverFor(address from, address to, uint256 recoveryDeadline, bytes recoverySig, uint256 toDeadline, bytes toSig)',
  // KeyGateway
  'function addFor(address fidOwner, uint32 keyType, bytes key, uint8 metadataType, bytes metadata, uint256 deadline, bytes sig)',
  // KeyRegistry
  'function removeFor(address fidOwner, bytes key, uint256 deadline, bytes sig)',
  // StorageRegistry
  'function rent(uint256 fid, uint256 units) payable',
  // Bundler
  'struct Registration { address to; address recovery; uint256 deadline; bytes sig; }',
  'struct Signer { uint32 keyType; bytes key; uint8 metadataType; bytes metadata; uint256 deadline; bytes sig; }',
  'function register(Registration registration, Signer[] signers, uint256 extraStorage) payable',
  // All that count nonces, and all that sell
  'function nonces(address) view returns (uint256)',
  'function price(uint256) view returns (uint256)',
])

export const ERRORS_ABI = parseAbi([
  'error InvalidSignature()',
  'error SignatureExpired()',
  'error HasNoId()',
  'error HasId()',
  'error Unauthorized()',
  'error InvalidState()',
  'error ExceedsMaximum()',
  'error ValidatorNotFound(uint32 keyType, uint8 metadataType)',
  'error InvalidMetadata()',
  'error InvalidAmount()',
  'error ExceedsCapacity()',
  'error InvalidBatchInput()',
  'error InvalidPayment()',
  'error InvalidAddress()',
  'error ContractDeprecated()',
  'error CallFailed()',
  'error Error(string)',
])
