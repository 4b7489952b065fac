// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IdRegistry} from "./IdRegistry.sol";
import {Nonces} from "./Nonces.sol";

interface MetadataValidator {
    function validate(uint256 userFid, bytes calldata key, bytes calldata metadata)
        external
        returns (bool);
}

/// The keys of each fid. A key has one life: once removed it never comes back for that fid.
contract KeyRegistry is Nonces {
    error Unauthorized();
    error InvalidState();
    error ExceedsMaximum();
    error InvalidMetadata();
    error ValidatorNotFound(uint32 keyType, uint8 metadataType);

    event Add(
        uint256 indexed fid,
        uint32 indexed keyType,
        bytes indexed key,
        bytes keyBytes,
        uint8 metadataType,
        bytes metadata
    );
    event Remove(uint256 indexed fid, bytes indexed key, bytes keyBytes);

    enum KeyState {
        NULL,
        ADDED,
        REMOVED
    }

    struct KeyData {
        KeyState state;
        uint32 keyType;
    }

    bytes32 public constant REMOVE_TYPEHASH =
        keccak256("Remove(address owner,bytes key,uint256 nonce,uint256 deadline)");
    /// Keys that sign messages, and addresses that sign in; both with signed key requests.
    uint32 private constant SIGNING_KEY = 1;
    uint32 private constant AUTH_ADDRESS = 2;
    uint8 private constant SIGNED_KEY_REQUEST = 1;

    IdRegistry public immutable idRegistry;
    address public immutable keyGateway;
    MetadataValidator private immutable validator;
    /// Of those added and not removed.
    uint256 public immutable maxKeysPerFid;

    mapping(uint256 => mapping(bytes => KeyData)) public keys;
    mapping(uint256 => mapping(KeyState => bytes[])) private lists;
    /// Where a key is in its list.
    mapping(uint256 => mapping(bytes => uint256)) private indexes;

    constructor(IdRegistry ids, address gateway, MetadataValidator requests, uint256 maxKeys) {
        idRegistry = ids;
        keyGateway = gateway;
        validator = requests;
        maxKeysPerFid = maxKeys;
    }

    function domainName() internal pure override returns (string memory) {
        return "Farcaster KeyRegistry";
    }

    function add(
        address fidOwner,
        uint32 keyType,
        bytes calldata key,
        uint8 metadataType,
        bytes calldata metadata
    ) external {
        if (msg.sender != keyGateway) revert Unauthorized();
        uint256 fid = held(fidOwner);
        KeyData storage data = keys[fid][key];
        if (data.state != KeyState.NULL) revert InvalidState();
        if (lists[fid][KeyState.ADDED].length >= maxKeysPerFid) revert ExceedsMaximum();
        if (validators(keyType, metadataType) == address(0)) {
            revert ValidatorNotFound(keyType, metadataType);
        }
        data.keyType = keyType;
        put(fid, key, data, KeyState.ADDED);
        emit Add(fid, keyType, key, key, metadataType, metadata);
        if (!validator.validate(fid, key, metadata)) revert InvalidMetadata();
    }

    function remove(bytes calldata key) external {
        drop(msg.sender, key);
    }

    function removeFor(address fidOwner, bytes calldata key, uint256 deadline, bytes calldata sig)
        external
    {
        bytes32 structHash = keccak256(
            abi.encode(REMOVE_TYPEHASH, fidOwner, keccak256(key), takeNonce(fidOwner), deadline)
        );
        checkSigned(fidOwner, structHash, deadline, sig);
        drop(fidOwner, key);
    }

    function keyDataOf(uint256 fid, bytes calldata key) external view returns (KeyData memory) {
        return keys[fid][key];
    }

    function validators(uint32 keyType, uint8 metadataType) public view returns (address) {
        bool known = (keyType == SIGNING_KEY || keyType == AUTH_ADDRESS)
            && metadataType == SIGNED_KEY_REQUEST;
        return known ? address(validator) : address(0);
    }

    function totalKeys(uint256 fid, KeyState state) external view returns (uint256) {
        return list(fid, state).length;
    }

    function keyAt(uint256 fid, KeyState state, uint256 index)
        external
        view
        returns (bytes memory)
    {
        return list(fid, state)[index];
    }

    function keysOf(uint256 fid, KeyState state) external view returns (bytes[] memory) {
        return list(fid, state);
    }

    /// `nextIdx` is 0 at the end.
    function keysOf(uint256 fid, KeyState state, uint256 startIdx, uint256 batchSize)
        external
        view
        returns (bytes[] memory page, uint256 nextIdx)
    {
        bytes[] storage all = list(fid, state);
        if (startIdx >= all.length) return (page, 0);
        uint256 left = all.length - startIdx;
        page = new bytes[](batchSize < left ? batchSize : left);
        for (uint256 i = 0; i < page.length; i++) page[i] = all[startIdx + i];
        if (page.length < left) nextIdx = startIdx + page.length;
    }

    function held(address owner) private view returns (uint256 fid) {
        fid = idRegistry.idOf(owner);
        if (fid == 0) revert Unauthorized();
    }

    function drop(address fidOwner, bytes calldata key) private {
        uint256 fid = held(fidOwner);
        KeyData storage data = keys[fid][key];
        if (data.state != KeyState.ADDED) revert InvalidState();
        takeOut(lists[fid][KeyState.ADDED], fid, key);
        put(fid, key, data, KeyState.REMOVED);
        emit Remove(fid, key, key);
    }

    function put(uint256 fid, bytes calldata key, KeyData storage data, KeyState state) private {
        data.state = state;
        indexes[fid][key] = lists[fid][state].length;
        lists[fid][state].push(key);
    }

    /// The last of the list takes the place.
    function takeOut(bytes[] storage all, uint256 fid, bytes calldata key) private {
        bytes memory last = all[all.length - 1];
        uint256 index = indexes[fid][key];
        all[index] = last;
        indexes[fid][last] = index;
        all.pop();
    }

    function list(uint256 fid, KeyState state) private view returns (bytes[] storage) {
        if (state == KeyState.NULL) revert InvalidState();
        return lists[fid][state];
    }
}
