// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IdRegistry} from "./IdRegistry.sol";
import {Nonces} from "./Nonces.sol";
import {Refunds} from "./Refunds.sol";
import {StorageRegistry} from "./StorageRegistry.sol";

/// Sells fids: each with one unit of storage, or more.
contract IdGateway is Nonces, Refunds {
    bytes32 public constant REGISTER_TYPEHASH =
        keccak256("Register(address to,address recovery,uint256 nonce,uint256 deadline)");

    IdRegistry public immutable idRegistry;
    StorageRegistry public immutable storageRegistry;

    constructor(IdRegistry registry, StorageRegistry storage_) {
        idRegistry = registry;
        storageRegistry = storage_;
    }

    /// What was paid too much comes back from there.
    receive() external payable {
        if (msg.sender != address(storageRegistry)) revert Unauthorized();
    }

    function domainName() internal pure override returns (string memory) {
        return "Farcaster IdGateway";
    }

    function price() external view returns (uint256) {
        return storageRegistry.price(1);
    }

    function price(uint256 extraStorage) external view returns (uint256) {
        return storageRegistry.price(1 + extraStorage);
    }

    function register(address recovery) external payable returns (uint256, uint256) {
        return give(msg.sender, recovery, 0);
    }

    function register(address recovery, uint256 extraStorage)
        external
        payable
        returns (uint256, uint256)
    {
        return give(msg.sender, recovery, extraStorage);
    }

    function registerFor(address to, address recovery, uint256 deadline, bytes calldata sig)
        external
        payable
        returns (uint256, uint256)
    {
        checkRegister(to, recovery, deadline, sig);
        return give(to, recovery, 0);
    }

    function registerFor(
        address to,
        address recovery,
        uint256 deadline,
        bytes calldata sig,
        uint256 extraStorage
    ) external payable returns (uint256, uint256) {
        checkRegister(to, recovery, deadline, sig);
        return give(to, recovery, extraStorage);
    }

    function checkRegister(address to, address recovery, uint256 deadline, bytes calldata sig)
        private
    {
        bytes32 structHash = keccak256(
            abi.encode(REGISTER_TYPEHASH, to, recovery, takeNonce(to), deadline)
        );
        checkSigned(to, structHash, deadline, sig);
    }

    function give(address to, address recovery, uint256 extraStorage)
        private
        returns (uint256 fid, uint256 overpayment)
    {
        fid = idRegistry.register(to, recovery);
        overpayment = storageRegistry.rent{value: msg.value}(fid, 1 + extraStorage);
        refund(overpayment);
    }
}
