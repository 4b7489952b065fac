// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {Nonces} from "./Nonces.sol";

/// Who holds which fid, and who may recover it. One fid an address, one address a fid.
contract IdRegistry is Nonces {
    error Unauthorized();
    error HasId();
    error HasNoId();

    event Register(address indexed to, uint256 indexed id, address recovery);
    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    event Recover(address indexed from, address indexed to, uint256 indexed id);
    event ChangeRecoveryAddress(uint256 indexed id, address indexed recovery);

    string public constant name = "Farcaster FID";
    bytes32 public constant TRANSFER_TYPEHASH =
        keccak256("Transfer(uint256 fid,address to,uint256 nonce,uint256 deadline)");
    bytes32 public constant TRANSFER_AND_CHANGE_RECOVERY_TYPEHASH = keccak256(
        "TransferAndChangeRecovery(uint256 fid,address to,address recovery,uint256 nonce,uint256 deadline)"
    );
    bytes32 public constant CHANGE_RECOVERY_ADDRESS_TYPEHASH = keccak256(
        "ChangeRecoveryAddress(uint256 fid,address from,address to,uint256 nonce,uint256 deadline)"
    );

    address public immutable idGateway;
    /// The fid given last.
    uint256 public idCounter;
    mapping(address => uint256) public idOf;
    mapping(uint256 => address) public custodyOf;
    mapping(uint256 => address) public recoveryOf;

    constructor(address gateway) {
        idGateway = gateway;
    }

    function domainName() internal pure override returns (string memory) {
        return "Farcaster IdRegistry";
    }

    function register(address to, address recovery) external returns (uint256 fid) {
        if (msg.sender != idGateway) revert Unauthorized();
        if (idOf[to] != 0) revert HasId();
        fid = ++idCounter;
        idOf[to] = fid;
        custodyOf[fid] = to;
        recoveryOf[fid] = recovery;
        emit Register(to, fid, recovery);
    }

    function transfer(address to, uint256 deadline, bytes calldata sig) external {
        uint256 fid = movable(msg.sender, to);
        checkTransfer(to, fid, to, deadline, sig);
        move(fid, msg.sender, to);
    }

    function transferFor(
        address from,
        address to,
        uint256 fromDeadline,
        bytes calldata fromSig,
        uint256 toDeadline,
        bytes calldata toSig
    ) external {
        uint256 fid = movable(from, to);
        checkTransfer(from, fid, to, fromDeadline, fromSig);
        checkTransfer(to, fid, to, toDeadline, toSig);
        move(fid, from, to);
    }

    function transferAndChangeRecovery(
        address to,
        address recovery,
        uint256 deadline,
        bytes calldata sig
    ) external {
        uint256 fid = movable(msg.sender, to);
        checkTransferAndChange(to, fid, to, recovery, deadline, sig);
        move(fid, msg.sender, to);
        change(fid, recovery);
    }

    function transferAndChangeRecoveryFor(
        address from,
        address to,
        address recovery,
        uint256 fromDeadline,
        bytes calldata fromSig,
        uint256 toDeadline,
        bytes calldata toSig
    ) external {
        uint256 fid = movable(from, to);
        checkTransferAndChange(from, fid, to, recovery, fromDeadline, fromSig);
        checkTransferAndChange(to, fid, to, recovery, toDeadline, toSig);
        move(fid, from, to);
        change(fid, recovery);
    }

    function changeRecoveryAddress(address recovery) external {
        change(held(msg.sender), recovery);
    }

    /// Signed over the present recovery address too.
    function changeRecoveryAddressFor(
        address owner,
        address recovery,
        uint256 deadline,
        bytes calldata sig
    ) external {
        uint256 fid = held(owner);
        bytes32 structHash = keccak256(
            abi.encode(
                CHANGE_RECOVERY_ADDRESS_TYPEHASH,
                fid,
                recoveryOf[fid],
                recovery,
                takeNonce(owner),
                deadline
            )
        );
        checkSigned(owner, structHash, deadline, sig);
        change(fid, recovery);
    }

    function recover(address from, address to, uint256 deadline, bytes calldata sig) external {
        uint256 fid = held(from);
        if (msg.sender != recoveryOf[fid]) revert Unauthorized();
        checkHasNone(to);
        checkTransfer(to, fid, to, deadline, sig);
        emit Recover(from, to, fid);
        move(fid, from, to);
    }

    function recoverFor(
        address from,
        address to,
        uint256 recoveryDeadline,
        bytes calldata recoverySig,
        uint256 toDeadline,
        bytes calldata toSig
    ) external {
        uint256 fid = movable(from, to);
        checkTransfer(recoveryOf[fid], fid, to, recoveryDeadline, recoverySig);
        checkTransfer(to, fid, to, toDeadline, toSig);
        emit Recover(from, to, fid);
        move(fid, from, to);
    }

    /// Whether the holder of this fid signed a digest that is of no contract.
    function verifyFidSignature(
        address custodyAddress,
        uint256 fid,
        bytes32 digest,
        bytes calldata sig
    ) external view returns (bool) {
        return idOf[custodyAddress] == fid && isDigestSignedBy(custodyAddress, digest, sig);
    }

    function held(address owner) private view returns (uint256 fid) {
        fid = idOf[owner];
        if (fid == 0) revert HasNoId();
    }

    function checkHasNone(address to) private view {
        if (idOf[to] != 0) revert HasId();
    }

    function movable(address from, address to) private view returns (uint256 fid) {
        fid = held(from);
        checkHasNone(to);
    }

    /// Both sides of a move sign the same, each with a nonce of its own.
    function checkTransfer(
        address signer,
        uint256 fid,
        address to,
        uint256 deadline,
        bytes calldata sig
    ) private {
        bytes32 structHash =
            keccak256(abi.encode(TRANSFER_TYPEHASH, fid, to, takeNonce(signer), deadline));
        checkSigned(signer, structHash, deadline, sig);
    }

    function checkTransferAndChange(
        address signer,
        uint256 fid,
        address to,
        address recovery,
        uint256 deadline,
        bytes calldata sig
    ) private {
        bytes32 structHash = keccak256(
            abi.encode(
                TRANSFER_AND_CHANGE_RECOVERY_TYPEHASH,
                fid,
                to,
                recovery,
                takeNonce(signer),
                deadline
            )
        );
        checkSigned(signer, structHash, deadline, sig);
    }

    /// The recovery address stays, and so do the keys.
    function move(uint256 fid, address from, address to) private {
        delete idOf[from];
        idOf[to] = fid;
        custodyOf[fid] = to;
        emit Transfer(from, to, fid);
    }

    function change(uint256 fid, address recovery) private {
        recoveryOf[fid] = recovery;
        emit ChangeRecoveryAddress(fid, recovery);
    }
}
