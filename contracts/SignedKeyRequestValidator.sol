// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IdRegistry} from "./IdRegistry.sol";
import {TypedData} from "./TypedData.sol";

/// Says whether an app that holds a fid now has asked for a key. For whom does not matter.
contract SignedKeyRequestValidator is TypedData {
    struct SignedKeyRequestMetadata {
        uint256 requestFid;
        address requestSigner;
        bytes signature;
        uint256 deadline;
    }

    bytes32 public constant METADATA_TYPEHASH =
        keccak256("SignedKeyRequest(uint256 requestFid,bytes key,uint256 deadline)");
    uint256 private constant KEY_BYTES = 32;

    IdRegistry public immutable idRegistry;

    constructor(IdRegistry registry) {
        idRegistry = registry;
    }

    function domainName() internal pure override returns (string memory) {
        return "Farcaster SignedKeyRequestValidator";
    }

    function encodeMetadata(SignedKeyRequestMetadata calldata metadata)
        external
        pure
        returns (bytes memory)
    {
        return abi.encode(metadata);
    }

    function validate(uint256, bytes calldata key, bytes calldata metadata)
        external
        view
        returns (bool)
    {
        SignedKeyRequestMetadata memory request =
            abi.decode(metadata, (SignedKeyRequestMetadata));
        if (idRegistry.idOf(request.requestSigner) != request.requestFid) return false;
        if (block.timestamp > request.deadline) return false;
        if (key.length != KEY_BYTES) return false;
        bytes32 structHash = keccak256(
            abi.encode(METADATA_TYPEHASH, request.requestFid, keccak256(key), request.deadline)
        );
        return isSignedBy(request.requestSigner, structHash, request.signature);
    }
}
