// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

interface ContractWallet {
    function isValidSignature(bytes32 hash, bytes calldata signature)
        external
        view
        returns (bytes4);
}

/// What is signed for a contract (EIP-712), and who signed it. The domain is worked out each time, so that
/// the code can be put at any address as it is.
abstract contract TypedData {
    error SignatureExpired();
    error InvalidSignature();

    bytes32 private constant DOMAIN = keccak256(
        "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    );
    /// Above it, a signature's twin would hold as well.
    uint256 private constant HIGHEST_S =
        0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    function domainName() internal pure virtual returns (string memory);

    function domainSeparatorV4() public view returns (bytes32) {
        bytes32 name = keccak256(bytes(domainName()));
        return keccak256(abi.encode(DOMAIN, name, keccak256("1"), block.chainid, address(this)));
    }

    function hashTypedDataV4(bytes32 structHash) public view returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", domainSeparatorV4(), structHash));
    }

    /// A deadline is in time up to that very second, and it is looked at before the signature.
    function checkSigned(
        address signer,
        bytes32 structHash,
        uint256 deadline,
        bytes memory signature
    ) internal view {
        if (block.timestamp > deadline) revert SignatureExpired();
        if (!isSignedBy(signer, structHash, signature)) revert InvalidSignature();
    }

    function isSignedBy(address signer, bytes32 structHash, bytes memory signature)
        internal
        view
        returns (bool)
    {
        return isDigestSignedBy(signer, hashTypedDataV4(structHash), signature);
    }

    /// By the key of a plain account, or by what the contract at the address stands by (ERC-1271).
    function isDigestSignedBy(address signer, bytes32 digest, bytes memory signature)
        internal
        view
        returns (bool)
    {
        address recovered = signerOf(digest, signature);
        if (recovered != address(0) && recovered == signer) return true;
        (bool ok, bytes memory answer) = signer.staticcall(
            abi.encodeCall(ContractWallet.isValidSignature, (digest, signature))
        );
        return ok && answer.length >= 32
            && bytes32(answer) == bytes32(ContractWallet.isValidSignature.selector);
    }

    function signerOf(bytes32 digest, bytes memory signature) private pure returns (address) {
        if (signature.length != 65) return address(0);
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        return uint256(s) > HIGHEST_S ? address(0) : ecrecover(digest, v, r, s);
    }
}
