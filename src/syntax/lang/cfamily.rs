//! cfamily
