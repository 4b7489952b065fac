import { parseAbi } from 'viem/utils'

// The functions of the account contracts that this server calls, and their errors.

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
  // Functions that several contracts have: nonces, and prices.
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
